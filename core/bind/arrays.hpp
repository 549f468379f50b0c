// Arrays across the border to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace learnac {

namespace nb = nanobind;

template <class Item>
using Input = nb::ndarray<const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Item>
using Table = nb::ndarray<const Item, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Item>
std::span<const Item> span_of(const Input<Item>& array) {
  return {array.data(), array.size()};
}

// A NumPy array that owns what the vector held.
template <class Item>
auto to_numpy(std::vector<Item>&& items, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<Item>(std::move(items));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Item>*>(p); });
  return nb::ndarray<nb::numpy, Item>(owned->data(), shape, owner);
}

template <class Item>
auto to_numpy(std::vector<Item>&& items) {
  const std::size_t size = items.size();
  return to_numpy(std::move(items), {size});
}

[[noreturn]] inline void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

inline void check_index(const char* what, std::uint64_t index, std::uint64_t size) {
  if (index >= size)
    refuse(std::string(what) + ": expected less than " + std::to_string(size) + ", found " + std::to_string(index));
}

}  // namespace learnac
