// Many short, growable lists in one array: the children and the parents of a growing circuit.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace learnac {

// A list's place in a ListPool. Capacity is a power of two, 2^size_class. A list of class 0 needs no place: its item,
// if it has one, stands where the offset would be, so that the only parent of a node is found with the node itself.
struct List {
  using Offset [[gnu::may_alias]] = std::uint32_t;

  Offset offset = 0;
  std::uint32_t size : 27 = 0;
  std::uint32_t size_class : 5 = 0;
};

// Item is a trivially copyable 32-bit value. Spans are invalid after the next push, and when the list itself moves.
template <class Item>
class ListPool {
  static_assert(sizeof(Item) == 4);

 public:
  std::span<Item> items(List& list) { return {first(list), list.size}; }
  std::span<const Item> items(const List& list) const { return {first(list), list.size}; }

  void push(List& list, Item item) {
    if (list.size == capacity(list)) grow(list);
    first(list)[list.size] = item;
    list.size = list.size + 1;
  }

  // Makes room for so many items in a list that has none.
  void reserve(List& list, std::uint32_t n) {
    assert(list.size == 0);
    std::uint32_t size_class = list.size_class;
    while ((1u << size_class) < n) ++size_class;
    if (size_class == list.size_class) return;
    release(list);
    list.offset = take(size_class);
    list.size_class = size_class;
  }

  // Order is not kept: the last item takes the removed one's place.
  void remove_at(List& list, std::uint32_t position) {
    assert(position < list.size);
    list.size = list.size - 1;
    first(list)[position] = first(list)[list.size];
  }

  // Searched from the back, where the most recent links are.
  std::uint32_t find(const List& list, Item item) const {
    std::uint32_t position = list.size;
    const Item* items = first(list);
    while (position-- > 0)
      if (items[position] == item) return position;
    assert(false && "the item is in the list");
    return 0;
  }

  void replace(List& list, Item before, Item after) { first(list)[find(list, before)] = after; }
  void remove(List& list, Item item) { remove_at(list, find(list, item)); }
  void clear(List& list) { list.size = 0; }
  void prefetch(const List& list) const { __builtin_prefetch(first(list)); }

  void release(List& list) {
    if (list.size_class > 0) free_[list.size_class].push_back(list.offset);
    list = List{};
  }

  std::size_t bytes() const { return storage_.capacity() * sizeof(Item); }

 private:
  static std::uint32_t capacity(const List& list) { return 1u << list.size_class; }

  Item* first(List& list) {
    return list.size_class == 0 ? reinterpret_cast<Item*>(&list.offset) : storage_.data() + list.offset;
  }
  const Item* first(const List& list) const {
    return list.size_class == 0 ? reinterpret_cast<const Item*>(&list.offset) : storage_.data() + list.offset;
  }

  void grow(List& list) {
    const std::uint32_t size_class = list.size_class + 1;
    const std::uint32_t offset = take(size_class);
    std::copy_n(first(list), list.size, storage_.data() + offset);
    if (list.size_class > 0) free_[list.size_class].push_back(list.offset);
    list.offset = offset;
    list.size_class = size_class;
  }

  std::uint32_t take(std::uint32_t size_class) {
    auto& free = free_[size_class];
    if (!free.empty()) {
      const std::uint32_t offset = free.back();
      free.pop_back();
      return offset;
    }
    const auto offset = static_cast<std::uint32_t>(storage_.size());
    storage_.resize(storage_.size() + (std::size_t{1} << size_class));
    return offset;
  }

  std::vector<Item> storage_;
  std::array<std::vector<std::uint32_t>, 28> free_;
};

}  // namespace learnac
