// Folders that the user names.
#pragma once

#include <string>
#include <vector>

#include "pumice/diagnostic.h"

namespace pumice::host {

/// Appends the files of a folder and of those in it that end with .yaml, .yml or .json, in the order of their names.
/// What cannot be read, and limits that are passed, go to `problems`. True if there was nothing to complain of.
bool list_folder(const std::string& folder, std::vector<std::string>& files, Diagnostics& problems);

}  // namespace pumice::host
