// The forward kernel of flash-attention 2 for heads of 64 numbers in fp16,
// with and without a causal mask, checked against doubles. Run by
// utils/check-public-kernels.py.

#include "flash_fwd_launch_template.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using Half = cutlass::half_t;
enum { HEAD = 64, NUM_HEADS = 2, NUM_KV_HEADS = 1, BATCH = 2 };

template <class T> static T *to_device(const std::vector<T> &values) {
  T *memory;
  C10_CUDA_CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  C10_CUDA_CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T),
                            cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
static std::vector<T> to_host(const T *memory, size_t num_elems) {
  std::vector<T> values(num_elems);
  C10_CUDA_CHECK(cudaMemcpy(values.data(), memory, num_elems * sizeof(T),
                            cudaMemcpyDeviceToHost));
  return values;
}

static std::vector<Half> random_halves(size_t num_elems, unsigned seed) {
  std::mt19937 source(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Half> values(num_elems);
  for (Half &value : values)
    value = Half(uniform(source));
  return values;
}

// Tensors are [batch][row][head][HEAD].
struct Problem {
  int num_queries, num_keys;
  bool is_causal;
  std::vector<Half> q, k, v;
  size_t at(int rows, int heads, int b, int row, int head) const {
    return ((size_t(b) * rows + row) * heads + head) * HEAD;
  }
};

// One row: its output in `out`; returns the logarithm of the softmax's sum.
static double reference(const Problem &p, int b, int head, int row,
                        double out[HEAD]) {
  int kv_head = head / (NUM_HEADS / NUM_KV_HEADS);
  int last = p.is_causal ? row + p.num_keys - p.num_queries : p.num_keys - 1;
  const Half *q = &p.q[p.at(p.num_queries, NUM_HEADS, b, row, head)];
  std::vector<double> score;
  double most = -INFINITY, sum = 0;
  for (int i = 0; i <= last && i < p.num_keys; i++) {
    const Half *k = &p.k[p.at(p.num_keys, NUM_KV_HEADS, b, i, kv_head)];
    double dot = 0;
    for (int d = 0; d < HEAD; d++)
      dot += double(float(q[d])) * double(float(k[d]));
    score.push_back(dot / std::sqrt(double(HEAD)));
    most = std::max(most, score.back());
  }
  std::fill(out, out + HEAD, 0.0);
  for (size_t i = 0; i < score.size(); i++) {
    const Half *v = &p.v[p.at(p.num_keys, NUM_KV_HEADS, b, int(i), kv_head)];
    double weight = std::exp(score[i] - most);
    sum += weight;
    for (int d = 0; d < HEAD; d++)
      out[d] += weight * double(float(v[d]));
  }
  for (int d = 0; d < HEAD; d++)
    out[d] = score.empty() ? 0 : out[d] / sum;
  return score.empty() ? INFINITY : most + std::log(sum);
}

static flash::Flash_fwd_params parameters(const Problem &p) {
  flash::Flash_fwd_params params = {};
  params.q_ptr = to_device(p.q);
  params.k_ptr = to_device(p.k);
  params.v_ptr = to_device(p.v);
  params.q_row_stride = params.o_row_stride = NUM_HEADS * HEAD;
  params.k_row_stride = params.v_row_stride = NUM_KV_HEADS * HEAD;
  params.q_head_stride = params.k_head_stride = params.v_head_stride =
      params.o_head_stride = HEAD;
  params.q_batch_stride = params.o_batch_stride =
      p.num_queries * params.q_row_stride;
  params.k_batch_stride = params.v_batch_stride =
      p.num_keys * params.k_row_stride;
  params.h = NUM_HEADS;
  params.h_k = NUM_KV_HEADS;
  params.h_h_k_ratio = NUM_HEADS / NUM_KV_HEADS;
  params.b = BATCH;
  params.seqlen_q = p.num_queries;
  params.seqlen_k = p.num_keys;
  params.seqlen_q_rounded = (p.num_queries + 127) / 128 * 128;
  params.seqlen_k_rounded = (p.num_keys + 127) / 128 * 128;
  params.d = params.d_rounded = HEAD;
  params.scale_softmax = 1 / std::sqrt(float(HEAD));
  params.scale_softmax_log2 = params.scale_softmax * float(M_LOG2E);
  params.p_dropout = 1; // of keeping
  params.rp_dropout = 1;
  params.scale_softmax_rp_dropout = params.scale_softmax;
  params.is_causal = p.is_causal;
  params.window_size_left = -1;
  params.window_size_right = p.is_causal ? 0 : -1;
  return params;
}

static bool run(int num_queries, int num_keys, bool is_causal) {
  Problem p = {num_queries, num_keys, is_causal, {}, {}, {}};
  p.q = random_halves(p.at(num_queries, NUM_HEADS, BATCH, 0, 0), 1);
  p.k = random_halves(p.at(num_keys, NUM_KV_HEADS, BATCH, 0, 0), 2);
  p.v = random_halves(p.at(num_keys, NUM_KV_HEADS, BATCH, 0, 0), 3);
  flash::Flash_fwd_params params = parameters(p);
  Half *o = to_device(std::vector<Half>(p.q.size()));
  float *lse =
      to_device(std::vector<float>(size_t(BATCH) * NUM_HEADS * num_queries));
  params.o_ptr = o;
  params.softmax_lse_ptr = lse;
  if (is_causal)
    flash::run_mha_fwd_hdim64<Half, true>(params, nullptr);
  else
    flash::run_mha_fwd_hdim64<Half, false>(params, nullptr);
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<Half> got = to_host(o, p.q.size());
  std::vector<float> got_lse =
      to_host(lse, size_t(BATCH) * NUM_HEADS * num_queries);
  double worst = 0, worst_lse = 0, want[HEAD];
  for (int b = 0; b < BATCH; b++)
    for (int head = 0; head < NUM_HEADS; head++)
      for (int row = 0; row < num_queries; row++) {
        double want_lse = reference(p, b, head, row, want);
        size_t at = p.at(num_queries, NUM_HEADS, b, row, head);
        for (int d = 0; d < HEAD; d++)
          worst = std::max(worst, std::fabs(want[d] - float(got[at + d])));
        float at_lse = got_lse[(b * NUM_HEADS + head) * num_queries + row];
        if (want_lse != at_lse) // both may be infinite
          worst_lse = std::max(worst_lse, std::fabs(want_lse - at_lse));
      }
  bool is_right = worst < 2e-3 && worst_lse < 1e-4;
  printf("%d queries, %d keys%s: off by %.1e and %.1e: %s\n", num_queries,
         num_keys, is_causal ? ", causal" : "", worst, worst_lse,
         is_right ? "ok" : "WRONG");
  return is_right;
}

int main() {
  bool is_right = run(128, 128, false);
  is_right &= run(100, 150, false);
  is_right &= run(130, 130, true);
  is_right &= run(60, 201, true);
  return is_right ? 0 : 1;
}
