#include "completion.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "options.h"
#include "pumice/quirk.h"

namespace pumice::host {
namespace {

/// Words an option or argument takes, as far as they are a closed set; see `choices` in command_line.cc.
std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words;
  std::string text = option.get_option_text();
  // The command line writes the words of a closed set as the option's text: `off|short|fails|full`.
  if (text.find('|') == std::string::npos) return words;
  std::size_t begin = 0;
  for (std::size_t end = text.find('|'); begin <= text.size(); end = text.find('|', begin)) {
    words.push_back(text.substr(begin, end == std::string::npos ? std::string::npos : end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return words;
}

/// Names of quirks, where an option or argument takes them: those of the command's controller.
std::vector<std::string> quirk_words(const CLI::App& command, const CLI::Option& option) {
  std::vector<std::string> words;
  const bool is_list = command.get_name() == "quirks" && option.get_positional();
  if (!is_list && option.get_option_text() != kQuirkNames) return words;
  const CLI::App* parent = command.get_parent();
  const bool is_cron = parent != nullptr && parent->get_name() == "cron";
  for (const QuirkFamily& family : quirk_families()) {
    if (!is_list && (family.controller == "CronJob") != is_cron) continue;
    for (const QuirkInfo& quirk : family.quirks) words.emplace_back(quirk.name);
    if (!is_list) break;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct OptionInfo {
  std::string name;  ///< with dashes; empty for a positional argument
  std::string description;
  std::vector<std::string> words;
  bool takes_value = false;
};

struct CommandInfo {
  std::string name;
  std::string description;
  std::vector<OptionInfo> options;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Commands below a command count as words that it takes, their options as its own.
CommandInfo info_of(const CLI::App& command) {
  CommandInfo info{command.get_name(), first_line(command.get_description()), {}};
  OptionInfo below;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
    below.words.push_back(one->get_name());
    for (OptionInfo& option : info_of(*one).options) {
      const bool is_new = std::none_of(info.options.begin(), info.options.end(),
                                       [&](const OptionInfo& known) { return known.name == option.name; });
      if (is_new && !option.name.empty()) info.options.push_back(std::move(option));
    }
  }
  if (!below.words.empty()) info.options.push_back(std::move(below));
  for (const CLI::Option* option : command.get_options()) {
    OptionInfo one{"", first_line(option->get_description()), words_of(*option), option->get_items_expected_max() > 0};
    if (one.words.empty()) one.words = quirk_words(command, *option);
    if (option->get_positional()) {
      info.options.push_back(one);
      continue;
    }
    for (const std::string& name : option->get_lnames()) {
      one.name = "--" + name;
      info.options.push_back(one);
    }
  }
  return info;
}

std::vector<CommandInfo> commands_of(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(info_of(*command));
  return commands;
}

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string options;
    std::string values;
    for (const OptionInfo& option : command.options) {
      if (option.name.empty()) {
        if (!option.words.empty()) options += " " + joined(option.words);
        continue;
      }
      options += " " + option.name;
      if (!option.words.empty()) {
        values += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", option.name,
                              joined(option.words));
      }
    }
    cases += fmt::format("    {})\n      case $previous in\n{}        *) ;;\n      esac\n      words='{}'\n      ;;\n",
                         command.name, values, options.empty() ? "" : options.substr(1));
  }
  return fmt::format(R"(# pumice completion for bash:  source <(pumice completion bash)
_pumice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    *) ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case $current in
    -*) ;;
    *) COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _pumice pumice
)",
                     names, cases);
}

std::string zsh(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  const auto escaped = [](std::string text) {
    std::string out;
    for (const char c : text)
      out += c == ':' || c == '[' || c == ']' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out;
  };
  for (const CommandInfo& command : commands) {
    names += "    " + shell_word(escaped(command.name) + ":" + escaped(command.description)) + "\n";
    std::string arguments;
    for (const OptionInfo& option : command.options) {
      const std::string values = option.words.empty() ? "_files" : "(" + joined(option.words) + ")";
      if (option.name.empty()) {
        arguments += " \\\n        " + shell_word("*::argument:" + values);
      } else {
        arguments += " \\\n        " + shell_word(fmt::format("{}[{}]{}", option.name, escaped(option.description),
                                                              option.takes_value ? ":value:" + values : ""));
      }
    }
    cases += fmt::format("    {})\n      _arguments -s{}\n      ;;\n", command.name, arguments);
  }
  return fmt::format(R"(#compdef pumice
# pumice completion for zsh:  source <(pumice completion zsh)
_pumice() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _pumice ]; then _pumice "$@"; else compdef _pumice pumice; fi
)",
                     names, cases);
}

std::string fish(const std::vector<CommandInfo>& commands) {
  std::string text = "# pumice completion for fish:  pumice completion fish | source\ncomplete -c pumice -f\n";
  for (const CommandInfo& command : commands) {
    text += fmt::format("complete -c pumice -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_word(command.description));
    const std::string seen = fmt::format("complete -c pumice -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionInfo& option : command.options) {
      if (option.name.empty()) {
        text += seen + (option.words.empty() ? std::string(" -F\n") : fmt::format(" -a '{}'\n", joined(option.words)));
        continue;
      }
      text += fmt::format("{} -l {} -d {}", seen, option.name.substr(2), shell_word(option.description));
      if (option.takes_value)
        text += option.words.empty() ? " -r -F" : fmt::format(" -x -a '{}'", joined(option.words));
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  const std::vector<CommandInfo> commands = commands_of(app);
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return {};
}

}  // namespace pumice::host
