#include "compile/elimination_orders.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "random.hpp"

namespace learnac {
namespace {

// Beyond this many steps an order by fill takes too long: the rest of it is by states. Links that arise on the way
// count.
constexpr double most_fill_steps = 3e8;

class Graph {
 public:
  Graph(std::size_t n, std::span<const std::uint32_t> first_members, std::span<const std::uint32_t> members)
      : n_(n), n_words_((n + 63) / 64), rows_(n * n_words_) {
    for (std::size_t family = 0; family + 1 < first_members.size(); ++family)
      for (std::uint32_t i = first_members[family]; i < first_members[family + 1]; ++i)
        for (std::uint32_t j = first_members[family]; j < first_members[family + 1]; ++j)
          if (members[i] != members[j]) set(members[i], members[j]);
  }

  std::size_t size() const { return n_; }
  std::size_t n_words() const { return n_words_; }
  const std::uint64_t* row(std::size_t v) const { return rows_.data() + v * n_words_; }

  std::size_t degree(std::size_t v) const {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words_; ++w) n += static_cast<std::size_t>(std::popcount(row(v)[w]));
    return n;
  }

  template <class Visit>
  void each_neighbour(std::size_t v, Visit visit) const {
    each_bit(row(v), visit);
  }

  template <class Visit>
  void each_bit(const std::uint64_t* bits, Visit visit) const {
    for (std::size_t w = 0; w < n_words_; ++w)
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
        visit(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(left))));
  }

  // Joins the neighbours of a variable, and takes it out.
  void eliminate(std::size_t v) {
    const std::vector<std::uint64_t> around(row(v), row(v) + n_words_);
    each_bit(around.data(), [&](std::uint32_t u) {
      std::uint64_t* own = rows_.data() + u * n_words_;
      for (std::size_t w = 0; w < n_words_; ++w) own[w] |= around[w];
      clear(own, u);
      clear(own, v);
    });
    std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(v * n_words_), n_words_, 0);
  }

 private:
  void set(std::size_t v, std::size_t u) { rows_[v * n_words_ + u / 64] |= std::uint64_t{1} << (u % 64); }
  static void clear(std::uint64_t* own, std::size_t u) { own[u / 64] &= ~(std::uint64_t{1} << (u % 64)); }

  std::size_t n_, n_words_;
  std::vector<std::uint64_t> rows_;
};

class Elimination {
 public:
  Elimination(Graph graph, std::span<const std::uint32_t> arities, std::uint64_t seed)
      : graph_(std::move(graph)), arities_(arities), random_(seed, 0), costs_(arities.size()) {
    for (const std::uint32_t arity : arities) logs_.push_back(std::log2(std::max(arity, 1u)));
  }

  EliminationOrder by_rule(EliminationRule rule) {
    rule_ = rule;
    std::vector<std::uint32_t> left(graph_.size());
    for (std::uint32_t v = 0; v < left.size(); ++v) left[v] = v;
    is_stale_.assign(graph_.size(), true);
    EliminationOrder found{{}, 0};
    while (!left.empty()) {
      if (n_steps_ > most_fill_steps && rule_ != EliminationRule::fewest_states) {
        rule_ = EliminationRule::fewest_states;
        is_stale_.assign(graph_.size(), true);
      }
      const std::size_t place = cheapest(left);
      const std::uint32_t v = left[place];
      left[place] = left.back();
      left.pop_back();
      take(v, found);
    }
    return finished(found);
  }

  EliminationOrder by_list(std::span<const std::uint32_t> variables) {
    EliminationOrder found{{}, 0};
    for (const std::uint32_t v : variables) take(v, found);
    return finished(found);
  }

 private:
  std::size_t cheapest(std::span<const std::uint32_t> left) {
    double lowest = std::numeric_limits<double>::infinity();
    std::size_t chosen = 0;
    std::uint32_t n_ties = 0;
    for (std::size_t place = 0; place < left.size(); ++place) {
      const std::uint32_t v = left[place];
      if (is_stale_[v]) costs_[v] = cost(v), is_stale_[v] = false;
      if (costs_[v] > lowest) continue;
      n_ties = costs_[v] < lowest ? 1 : n_ties + 1;
      lowest = costs_[v];
      if (random_.below(n_ties) == 0) chosen = place;
    }
    return chosen;
  }

  double cost(std::uint32_t v) {
    if (rule_ == EliminationRule::fewest_states) return log_states(v);
    n_steps_ += static_cast<double>(graph_.degree(v) * graph_.n_words());
    double cost = 0;
    graph_.each_neighbour(v, [&](std::uint32_t u) {
      for (std::size_t w = 0; w < graph_.n_words(); ++w) {
        std::uint64_t lacking = graph_.row(v)[w] & ~graph_.row(u)[w];
        if (rule_ == EliminationRule::fewest_fill) {
          cost += std::popcount(lacking);
          continue;
        }
        for (; lacking != 0; lacking &= lacking - 1)
          cost += arities_[64 * w + static_cast<std::size_t>(std::countr_zero(lacking))] * double{1} * arities_[u];
      }
      cost -= rule_ == EliminationRule::fewest_fill ? 1 : double{1} * arities_[u] * arities_[u];  // itself
    });
    return cost;
  }

  double log_states(std::uint32_t v) const {
    double log = logs_[v];
    graph_.each_neighbour(v, [&](std::uint32_t u) { log += logs_[u]; });
    return log;
  }

  void take(std::uint32_t v, EliminationOrder& found) {
    found.variables.push_back(v);
    clique_logs_.push_back(log_states(v));
    if (!is_stale_.empty()) {
      const auto degree = static_cast<double>(graph_.degree(v));
      n_steps_ += degree * degree;
      graph_.each_neighbour(v, [&](std::uint32_t u) {
        is_stale_[u] = true;
        if (rule_ != EliminationRule::fewest_states)
          graph_.each_neighbour(u, [&](std::uint32_t other) { is_stale_[other] = true; });
      });
    }
    graph_.eliminate(v);
  }

  EliminationOrder finished(EliminationOrder& found) const {
    const double most = *std::max_element(clique_logs_.begin(), clique_logs_.end());
    double total = 0;
    for (const double log : clique_logs_) total += std::exp2(log - most);
    found.log2_states = most + std::log2(total);
    return std::move(found);
  }

  Graph graph_;
  std::span<const std::uint32_t> arities_;
  Random random_;
  std::vector<double> logs_;
  std::vector<double> costs_;
  std::vector<bool> is_stale_;
  std::vector<double> clique_logs_;
  EliminationRule rule_ = EliminationRule::fewest_states;
  double n_steps_ = 0;
};

// Cuts the graph by the lightest level of a breadth-first search that leaves a quarter on either side.
class Dissection {
 public:
  Dissection(const Graph& graph, std::span<const std::uint32_t> arities, std::uint64_t seed)
      : graph_(graph), arities_(arities), random_(seed, 1), level_(graph.size()), part_(graph.size()) {}

  std::vector<std::uint32_t> order() {
    std::vector<std::uint32_t> all(graph_.size());
    for (std::uint32_t v = 0; v < all.size(); ++v) all[v] = v;
    // Parts that are still to be cut. What holds parts together is eliminated after them, so the order is built from
    // its end.
    std::vector<std::vector<std::uint32_t>> pending{std::move(all)};
    std::vector<std::uint32_t> reversed;
    while (!pending.empty()) {
      const std::vector<std::uint32_t> part = std::move(pending.back());
      pending.pop_back();
      cut(part, reversed, pending);
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
  }

 private:
  void cut(const std::vector<std::uint32_t>& part, std::vector<std::uint32_t>& reversed,
           std::vector<std::vector<std::uint32_t>>& pending) {
    ++n_parts_;
    for (const std::uint32_t v : part) part_[v] = n_parts_;
    std::vector<std::uint32_t> reached = search(part[random_.below(static_cast<std::uint32_t>(part.size()))]);
    if (reached.size() < part.size()) {
      std::vector<std::uint32_t> rest;
      for (const std::uint32_t v : part)
        if (part_[v] != 0) rest.push_back(v);
      pending.push_back(std::move(rest));
      pending.push_back(std::move(reached));
      return;
    }
    for (int i = 0; i < 2; ++i) {
      for (const std::uint32_t v : part) part_[v] = n_parts_;
      reached = search(reached.back());
    }
    const std::uint32_t last = level_[reached.back()];
    if (last < 2) {
      reversed.insert(reversed.end(), reached.begin(), reached.end());
      return;
    }
    const std::uint32_t chosen = lightest(reached, last);
    std::vector<std::uint32_t> near, far;
    for (const std::uint32_t v : reached) {
      if (level_[v] == chosen)
        reversed.push_back(v);
      else
        (level_[v] < chosen ? near : far).push_back(v);
    }
    pending.push_back(std::move(near));
    pending.push_back(std::move(far));
  }

  std::uint32_t lightest(std::span<const std::uint32_t> reached, std::uint32_t last) const {
    std::vector<double> weight(last + 1);
    std::vector<std::size_t> size(last + 1);
    for (const std::uint32_t v : reached) weight[level_[v]] += std::log2(arities_[v] + 1.0), ++size[level_[v]];
    std::uint32_t chosen = last / 2 == 0 ? 1 : last / 2;
    std::size_t before = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t level = 0; level < last; before += size[level++]) {
      if (level == 0 || 4 * before < reached.size() || 4 * (before + size[level]) > 3 * reached.size()) continue;
      if (weight[level] < lowest) lowest = weight[level], chosen = level;
    }
    return chosen;
  }

  // The variables of the part, nearest first; they are taken out of it.
  std::vector<std::uint32_t> search(std::uint32_t from) {
    const std::uint32_t part = part_[from];
    std::vector<std::uint32_t> reached{from};
    part_[from] = 0;
    level_[from] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
      graph_.each_neighbour(reached[i], [&](std::uint32_t u) {
        if (part_[u] != part) return;
        part_[u] = 0;
        level_[u] = level_[reached[i]] + 1;
        reached.push_back(u);
      });
    return reached;
  }

  const Graph& graph_;
  std::span<const std::uint32_t> arities_;
  Random random_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> part_;
  std::uint32_t n_parts_ = 0;
};

}  // namespace

EliminationOrder elimination_order(std::span<const std::uint32_t> arities, std::span<const std::uint32_t> first_members,
                                   std::span<const std::uint32_t> members, EliminationRule rule, std::uint64_t seed) {
  Graph graph(arities.size(), first_members, members);
  if (rule == EliminationRule::dissection) {
    const std::vector<std::uint32_t> order = Dissection(graph, arities, seed).order();
    return Elimination(std::move(graph), arities, seed).by_list(order);
  }
  return Elimination(std::move(graph), arities, seed).by_rule(rule);
}

}  // namespace learnac
