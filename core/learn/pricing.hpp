// Edge costs of several splits at once, by several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "learn/growing_circuit.hpp"
#include "learn/split_region.hpp"

namespace learnac {

// A split to be priced, and what came out: see SplitRegion::edge_cost.
struct Pricing {
  Split split;
  std::int64_t limit = SplitRegion::unlimited;
  std::int64_t cost = 0;
  std::int64_t d_side_bound = 0;
  bool is_exact = false;
};

// Threads that price splits of a circuit nobody changes meanwhile. Each pricing depends on nothing but its split and
// limit, so that results do not depend on the number of threads.
class Pricers {
 public:
  Pricers(const GrowingCircuit& circuit, int n_threads);
  ~Pricers();
  Pricers(const Pricers&) = delete;
  Pricers& operator=(const Pricers&) = delete;

  // How many splits are worth asking for at once. In a small circuit, waking a thread takes longer than pricing.
  std::size_t batch_size() const {
    return workers_.empty() || circuit_.n_edges() < least_edges_to_share ? 1 : 2 * regions_.size();
  }
  void price(std::span<Pricing> splits);
  SplitRegion& region() { return *regions_.front(); }
  const SplitRegion& region() const { return *regions_.front(); }
  std::uint64_t n_visits() const;

  static constexpr std::uint64_t least_edges_to_share = 20000;

 private:
  // Takes the next split of the present round and prices it; false if there is none left.
  bool price_next(SplitRegion& region);
  void serve(SplitRegion& region);

  const GrowingCircuit& circuit_;
  std::vector<std::unique_ptr<SplitRegion>> regions_;  // the caller's, then one for each worker
  std::span<Pricing> splits_;
  // The round in the upper half, the next split in the lower: whoever moves it on owns that split, and the round can
  // not end before it is done. A worker that comes late finds nothing to take, and nobody has waited for it.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint32_t> n_splits_{0};
  std::atomic<std::uint32_t> n_done_{0};
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> workers_;
};

}  // namespace learnac
