// Device-wide algorithms of CUB on small inputs, checked against the standard
// library of the host. Run by utils/check-public-kernels.py.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>
#define CK(x)                                                                  \
  do {                                                                         \
    cudaError_t e = (x);                                                       \
    if (e) {                                                                   \
      printf("%s: %s\n", #x, cudaGetErrorString(e));                           \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)
template <class T> struct Dev {
  T *p;
  size_t n;
  Dev(size_t n) : n(n) { CK(cudaMalloc(&p, n * sizeof(T) + 1)); }
  Dev(const std::vector<T> &v) : Dev(v.size()) {
    CK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() {
    std::vector<T> v(n);
    CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  ~Dev() { cudaFree(p); }
};
static int bad = 0;
static void check(const char *name, bool ok) {
  printf("%-28s %s\n", name, ok ? "ok" : "WRONG");
  bad += !ok;
}
#define TEMP(call)                                                             \
  {                                                                            \
    size_t tb = 0;                                                             \
    void *t = nullptr;                                                         \
    CK(call);                                                                  \
    CK(cudaMalloc(&t, tb));                                                    \
    CK(call);                                                                  \
    CK(cudaDeviceSynchronize());                                               \
    CK(cudaFree(t));                                                           \
  }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10007;
  srand(1);
  std::vector<int> a(n);
  for (auto &x : a)
    x = rand() % 1000 - 500;
  Dev<int> da(a);
  {
    Dev<int> o(1);
    TEMP(cub::DeviceReduce::Sum(t, tb, da.p, o.p, n));
    check("reduce sum", o.get()[0] == std::accumulate(a.begin(), a.end(), 0));
  }
  {
    Dev<int> o(1);
    TEMP(cub::DeviceReduce::Max(t, tb, da.p, o.p, n));
    check("reduce max", o.get()[0] == *std::max_element(a.begin(), a.end()));
  }
  {
    Dev<int> o(n);
    TEMP(cub::DeviceScan::ExclusiveSum(t, tb, da.p, o.p, n));
    std::vector<int> r(n);
    int s = 0;
    for (int i = 0; i < n; i++) {
      r[i] = s;
      s += a[i];
    }
    check("exclusive scan", o.get() == r);
  }
  {
    Dev<int> o(n);
    TEMP(cub::DeviceScan::InclusiveSum(t, tb, da.p, o.p, n));
    std::vector<int> r(n);
    std::partial_sum(a.begin(), a.end(), r.begin());
    check("inclusive scan", o.get() == r);
  }
  {
    std::vector<unsigned> k(n);
    std::vector<int> v(n);
    for (int i = 0; i < n; i++) {
      k[i] = rand() * 2654435761u;
      v[i] = i;
    }
    Dev<unsigned> dk(k), ok(n);
    Dev<int> dv(v), ov(n);
    TEMP(cub::DeviceRadixSort::SortPairs(t, tb, dk.p, ok.p, dv.p, ov.p, n));
    std::vector<int> ix(v);
    std::stable_sort(ix.begin(), ix.end(),
                     [&](int x, int y) { return k[x] < k[y]; });
    check("radix sort pairs", ov.get() == ix);
    TEMP(cub::DeviceRadixSort::SortKeysDescending(t, tb, dk.p, ok.p, n));
    auto s = k;
    std::sort(s.rbegin(), s.rend());
    check("radix sort keys desc", ok.get() == s);
  }
  {
    std::vector<float> f(n);
    for (auto &x : f)
      x = (rand() % 1000) / 10.f;
    Dev<float> df(f);
    Dev<int> h(16);
    TEMP(cub::DeviceHistogram::HistogramEven(t, tb, df.p, h.p, 17, 0.f, 100.f,
                                             n));
    std::vector<int> r(16);
    for (auto x : f) {
      int b = (int)(x * (16 / 100.f));
      if (b < 16)
        r[b]++;
    }
    auto g = h.get();
    int d = 0;
    for (int i = 0; i < 16; i++)
      d += abs(g[i] - r[i]);
    check("histogram", d <= n / 500);
  }
  {
    std::vector<int> off = {0, 10, 10, 500, n / 2, n};
    int ns = off.size() - 1;
    Dev<int> doff(off), o(ns);
    TEMP(cub::DeviceSegmentedReduce::Sum(t, tb, da.p, o.p, ns, doff.p,
                                         doff.p + 1));
    std::vector<int> r(ns);
    for (int s = 0; s < ns; s++)
      r[s] = std::accumulate(a.begin() + off[s], a.begin() + off[s + 1], 0);
    check("segmented reduce", o.get() == r);
    Dev<int> so(n);
    TEMP(cub::DeviceSegmentedSort::SortKeys(t, tb, da.p, so.p, n, ns, doff.p,
                                            doff.p + 1));
    auto s = a;
    for (int i = 0; i < ns; i++)
      std::sort(s.begin() + off[i], s.begin() + off[i + 1]);
    check("segmented sort", so.get() == s);
    TEMP(cub::DeviceSegmentedRadixSort::SortKeys(t, tb, da.p, so.p, n, ns,
                                                 doff.p, doff.p + 1));
    check("segmented radix sort", so.get() == s);
  }
  {
    Dev<int> o(n), c(1);
    auto op = [] __device__(int x) { return x > 100; };
    TEMP(cub::DeviceSelect::If(t, tb, da.p, o.p, c.p, n, op));
    std::vector<int> r;
    std::copy_if(a.begin(), a.end(), std::back_inserter(r),
                 [](int x) { return x > 100; });
    auto g = o.get();
    int m = c.get()[0];
    g.resize(m);
    check("select if", g == r);
    TEMP(cub::DevicePartition::If(t, tb, da.p, o.p, c.p, n, op));
    check("partition if", c.get()[0] == (int)r.size());
  }
  {
    auto s = a;
    std::sort(s.begin(), s.end());
    Dev<int> ds(s), u(n), l(n), c(1);
    TEMP(cub::DeviceRunLengthEncode::Encode(t, tb, ds.p, u.p, l.p, c.p, n));
    int m = c.get()[0];
    auto q = s;
    q.erase(std::unique(q.begin(), q.end()), q.end());
    auto g = u.get();
    g.resize(m);
    check("run length encode", g == q);
    Dev<int> ua(n), sa(n);
    TEMP(cub::DeviceReduce::ReduceByKey(t, tb, ds.p, ua.p, ds.p, sa.p, c.p,
                                        cuda::std::plus<>{}, n));
    check("reduce by key", c.get()[0] == (int)q.size());
    TEMP(cub::DeviceSelect::Unique(t, tb, ds.p, u.p, c.p, n));
    g = u.get();
    g.resize(c.get()[0]);
    check("unique", g == q);
  }
  {
    Dev<int> o(a);
    TEMP(cub::DeviceMergeSort::SortKeys(t, tb, o.p, n, cuda::std::less<>{}));
    auto s = a;
    std::sort(s.begin(), s.end());
    check("merge sort", o.get() == s);
  }
  return bad ? 1 : 0;
}
