// Sorting that leaves equal elements in their order, for lists that people write: std::stable_sort of one standard
// library takes its memory by a deprecated function, which is an error in our builds.
#pragma once

#include <algorithm>
#include <vector>

namespace pumice {

template <class T, class Before>
void sort_stably(std::vector<T>& list, Before before) {
  for (auto it = list.begin(); it != list.end(); ++it)
    std::rotate(std::upper_bound(list.begin(), it, *it, before), it, it + 1);
}

}  // namespace pumice
