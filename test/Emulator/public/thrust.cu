// Algorithms of Thrust on small inputs, checked against the standard library of
// the host. Run by utils/check-public-kernels.py.

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <vector>
int bad = 0;
void check(const char *n, bool ok) {
  printf("%-28s %s\n", n, ok ? "ok" : "WRONG");
  bad += !ok;
}
int main() {
  int n = 5003;
  srand(3);
  std::vector<int> a(n), b(n);
  for (auto &x : a)
    x = rand() % 10000;
  for (auto &x : b)
    x = rand() % 10000;
  thrust::device_vector<int> d(a.begin(), a.end()), e(b.begin(), b.end());
  thrust::sort(d.begin(), d.end());
  auto s = a;
  std::sort(s.begin(), s.end());
  std::vector<int> g(n);
  thrust::copy(d.begin(), d.end(), g.begin());
  check("sort", g == s);
  thrust::sort(e.begin(), e.end(), thrust::greater<int>());
  auto s2 = b;
  std::sort(s2.rbegin(), s2.rend());
  thrust::copy(e.begin(), e.end(), g.begin());
  check("sort greater", g == s2);
  check("reduce", thrust::reduce(d.begin(), d.end()) ==
                      std::accumulate(s.begin(), s.end(), 0));
  thrust::device_vector<int> v(n);
  thrust::sequence(v.begin(), v.end());
  thrust::device_vector<float> k(n);
  std::vector<float> hk(n);
  for (auto &x : hk)
    x = (float)rand();
  thrust::copy(hk.begin(), hk.end(), k.begin());
  thrust::sort_by_key(k.begin(), k.end(), v.begin());
  std::vector<int> ix(n);
  for (int i = 0; i < n; i++)
    ix[i] = i;
  std::stable_sort(ix.begin(), ix.end(),
                   [&](int x, int y) { return hk[x] < hk[y]; });
  thrust::copy(v.begin(), v.end(), g.begin());
  check("sort_by_key", g == ix);
  thrust::sort(e.begin(), e.end());
  std::sort(s2.begin(), s2.end());
  thrust::device_vector<int> u(2 * n);
  auto end = thrust::set_intersection(d.begin(), d.end(), e.begin(), e.end(),
                                      u.begin());
  std::vector<int> r;
  std::set_intersection(s.begin(), s.end(), s2.begin(), s2.end(),
                        std::back_inserter(r));
  std::vector<int> q(end - u.begin());
  thrust::copy(u.begin(), end, q.begin());
  check("set_intersection", q == r);
  thrust::inclusive_scan(d.begin(), d.end(), v.begin(), thrust::maximum<int>());
  thrust::copy(v.begin(), v.end(), g.begin());
  check("scan max", g == s);
  auto ue = thrust::unique(d.begin(), d.end());
  auto us = s;
  us.erase(std::unique(us.begin(), us.end()), us.end());
  check("unique", ue - d.begin() == (long)us.size());
  return bad;
}
