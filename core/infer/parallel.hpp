// Work in units, done by threads: which of them does a unit makes no difference.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace learnac {

// How a query is carried out. `should_stop` is asked from time to time; after it says so, results are incomplete.
struct Execution {
  int n_threads;
  std::function<bool()> should_stop;
};

// Calls `work(workspace, unit)` for each unit; every thread makes a workspace of its own. What is thrown in a thread is
// thrown again here, when all have ended.
template <class Workspace, class Make, class Work>
void in_parallel(std::size_t n_units, const Execution& execution, Make make, Work work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_stopped{false};
  const auto work_through = [&](bool asks) {
    Workspace workspace = make();
    for (std::size_t unit; !is_stopped && (unit = next++) < n_units;) {
      work(workspace, unit);
      if (asks && execution.should_stop()) is_stopped = true;
    }
  };
  const std::size_t n_threads = std::min<std::size_t>(static_cast<std::size_t>(execution.n_threads), n_units);
  std::vector<std::exception_ptr> errors(std::max<std::size_t>(n_threads, 1));
  std::vector<std::thread> threads;
  const auto guarded = [&](std::size_t i) {
    try {
      work_through(i == 0);
    } catch (...) {
      errors[i] = std::current_exception();
      is_stopped = true;
    }
  };
  try {
    for (std::size_t i = 1; i < n_threads; ++i) threads.emplace_back(guarded, i);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do all of the work.
  }
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace learnac
