#include "learn/pricing.hpp"

namespace learnac {
namespace {

constexpr int spins_before_sleep = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Pricers::Pricers(const GrowingCircuit& circuit, int n_threads) : circuit_(circuit) {
  for (int i = 0; i < n_threads; ++i) regions_.push_back(std::make_unique<SplitRegion>(circuit));
  for (int i = 1; i < n_threads; ++i)
    workers_.emplace_back([this, i] { serve(*regions_[static_cast<std::size_t>(i)]); });
}

Pricers::~Pricers() {
  is_over_ = true;
  n_splits_ = 0;
  ticket_ += std::uint64_t{1} << 32;
  ticket_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pricers::price(std::span<Pricing> splits) {
  // Nothing can be taken while the number is 0, so that the round can be set up.
  n_splits_ = 0;
  splits_ = splits;
  n_done_ = 0;
  ticket_ = ((ticket_ >> 32) + 1) << 32;
  n_splits_ = static_cast<std::uint32_t>(splits.size());
  if (splits.size() > 1) ticket_.notify_all();
  while (price_next(region())) {
  }
  while (n_done_ < splits.size()) std::this_thread::yield();
}

bool Pricers::price_next(SplitRegion& region) {
  std::uint64_t ticket = ticket_;
  do {
    if (static_cast<std::uint32_t>(ticket) >= n_splits_) return false;
  } while (!ticket_.compare_exchange_weak(ticket, ticket + 1));
  Pricing& pricing = splits_[static_cast<std::uint32_t>(ticket)];
  pricing.cost = region.edge_cost(pricing.split, pricing.limit);
  pricing.d_side_bound = region.d_side_bound();
  pricing.is_exact = region.is_exact();
  ++n_done_;
  return true;
}

void Pricers::serve(SplitRegion& region) {
  while (!is_over_) {
    const std::uint64_t ticket = ticket_;
    if (price_next(region)) continue;
    // Rounds follow each other within microseconds while a search lasts: only a longer pause is worth sleeping through.
    for (int i = 0; i < spins_before_sleep && ticket_ == ticket; ++i) pause();
    if (ticket_ == ticket && !is_over_) ticket_.wait(ticket);
  }
}

std::uint64_t Pricers::n_visits() const {
  std::uint64_t total = 0;
  for (const auto& region : regions_) total += region->n_visits();
  return total;
}

}  // namespace learnac
