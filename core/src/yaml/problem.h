// One thing that ends the reading of a text.
#pragma once

#include <cstddef>
#include <string>

namespace pumice::yaml {

struct Problem {
  std::size_t offset = 0;  ///< byte in the text
  std::string code;
  std::string message;
  std::string hint;
};

}  // namespace pumice::yaml
