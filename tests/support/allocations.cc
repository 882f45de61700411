#include "support/allocations.h"

#include <cstdlib>
#include <new>

namespace {
std::int64_t count = 0;
}  // namespace

namespace pumice::test {
std::int64_t allocation_count() noexcept { return count; }
}  // namespace pumice::test

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
