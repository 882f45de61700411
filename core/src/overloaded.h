// One visitor of a variant from several functions.
#pragma once

namespace pumice {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace pumice
