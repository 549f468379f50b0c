#include "compile/common_factors.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "compile/hash.hpp"

namespace learnac {
namespace {

// Products with more factors have too many pairs; they are few.
constexpr std::size_t most_factors = 32;
constexpr std::uint32_t fewest_products = 2;

class Sharing {
 public:
  Sharing(Products& products, std::uint32_t first_number) : products_(products), first_number_(first_number) {}

  void share() {
    for (std::uint32_t product = 0; product < products_.size(); ++product) enter(product);
    for (const auto& [pair, places] : places_) offer(pair, places.size());
    while (!queue_.empty()) {
      const Offer best = queue_.top();
      queue_.pop();
      const auto found = places_.find(best.pair);
      if (found == places_.end()) continue;
      keep_those_with(best.pair, found->second);
      if (found->second.size() != best.n_products)
        offer(best.pair, found->second.size());
      else
        take(best.pair);
    }
  }

 private:
  using Pair = std::uint64_t;
  struct Offer {
    std::size_t n_products;
    Pair pair;
    // Of several, the same one whatever the order of the hash table.
    friend bool operator<(const Offer& a, const Offer& b) {
      return a.n_products != b.n_products ? a.n_products < b.n_products : a.pair > b.pair;
    }
  };
  struct HashOfPair {
    std::size_t operator()(Pair pair) const { return mixed(pair); }
  };

  static Pair pair_of(std::uint32_t a, std::uint32_t b) {
    return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
  }
  static std::uint32_t first(Pair pair) { return static_cast<std::uint32_t>(pair >> 32); }
  static std::uint32_t second(Pair pair) { return static_cast<std::uint32_t>(pair); }

  void enter(std::uint32_t product) {
    const std::vector<std::uint32_t>& factors = products_[product];
    if (factors.size() > most_factors) return;
    for (std::size_t i = 0; i < factors.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) places_[pair_of(factors[i], factors[j])].push_back(product);
  }

  void offer(Pair pair, std::size_t n_products) {
    if (n_products >= fewest_products) queue_.push({n_products, pair});
  }

  // Products lose factors while pairs are taken.
  void keep_those_with(Pair pair, std::vector<std::uint32_t>& places) const {
    std::erase_if(places, [&](std::uint32_t product) {
      const std::vector<std::uint32_t>& factors = products_[product];
      return factors.size() < 2 || !std::binary_search(factors.begin(), factors.end(), first(pair)) ||
             !std::binary_search(factors.begin(), factors.end(), second(pair));
    });
  }

  // The product that is the pair and nothing else, if there is one; or a new one.
  std::uint32_t product_of(Pair pair, const std::vector<std::uint32_t>& places) {
    for (const std::uint32_t product : places)
      if (products_[product].size() == 2) return product;
    products_.push_back({first(pair), second(pair)});
    return static_cast<std::uint32_t>(products_.size() - 1);
  }

  void take(Pair pair) {
    const std::vector<std::uint32_t> places = std::move(places_.at(pair));
    places_.erase(pair);
    const std::uint32_t made = product_of(pair, places), number = first_number_ + made;
    std::unordered_map<std::uint32_t, std::size_t> together;  // with the new product
    for (const std::uint32_t product : places) {
      if (product == made) continue;
      std::vector<std::uint32_t>& factors = products_[product];
      std::erase_if(factors, [&](std::uint32_t factor) { return factor == first(pair) || factor == second(pair); });
      for (const std::uint32_t factor : factors)
        places_[pair_of(factor, number)].push_back(product), ++together[factor];
      factors.insert(std::lower_bound(factors.begin(), factors.end(), number), number);
    }
    for (const auto& [factor, n_products] : together) offer(pair_of(factor, number), n_products);
  }

  Products& products_;
  std::uint32_t first_number_;
  std::unordered_map<Pair, std::vector<std::uint32_t>, HashOfPair> places_;  // of pairs; some are out of date
  std::priority_queue<Offer> queue_;
};

}  // namespace

void share_common_factors(Products& products, std::uint32_t first_number) { Sharing(products, first_number).share(); }

}  // namespace learnac
