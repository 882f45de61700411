#include "yaml/events.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <istream>
#include <streambuf>
#include <utility>

namespace pumice::yaml {
namespace {

/// A text as a stream, without a copy.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    // The get area wants a pointer to non-const; nothing here ever writes to it.
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

/// Ends yaml-cpp's reading from inside an event: a second document has begun where only one can be.
struct Leftover {
  std::size_t offset;
};

std::size_t offset_of(const YAML::Mark& mark) { return static_cast<std::size_t>(mark.pos < 0 ? 0 : mark.pos); }

class Recorder : public YAML::EventHandler {
 public:
  explicit Recorder(std::vector<Event>& events) : events_(events) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!events_.empty()) throw Leftover{offset_of(mark)};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Event::Kind::Scalar, mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Event::Kind::Alias, mark, anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string&) override {
    add(Event::Kind::Scalar, mark, anchor, tag);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    add(Event::Kind::ListStart, mark, anchor, tag);
  }
  void OnSequenceEnd() override { add(Event::Kind::ListEnd, YAML::Mark::null_mark(), 0); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    add(Event::Kind::MapStart, mark, anchor, tag);
  }
  void OnMapEnd() override { add(Event::Kind::MapEnd, YAML::Mark::null_mark(), 0); }

 private:
  /// yaml-cpp's tag is `?` for a plain scalar and `!` for a quoted one, if there is none in the text.
  void add(Event::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag = "?") {
    Event& event = events_.emplace_back();
    event.kind = kind;
    event.begin = event.end = offset_of(mark);
    event.anchor = anchor;
    event.plain = tag == "?";
    if (!event.plain && tag != "!") event.tag = tag;
  }

  std::vector<Event>& events_;
};

/// yaml-cpp's finding in our words. Most of them the precheck has found before.
Problem explain(const YAML::Exception& error, std::size_t text_size) {
  const std::size_t offset = error.mark.is_null() ? text_size : offset_of(error.mark);
  const std::string_view text = error.msg;
  if (text == YAML::ErrorMsg::END_OF_MAP) {
    return {offset, "InvalidYaml", "this is no key of the map it stands in", "check the indentation of this line"};
  }
  if (text == YAML::ErrorMsg::END_OF_SEQ) {
    return {offset, "InvalidYaml", "this is no item of the list it stands in",
            "start it with `- `, or check its indentation"};
  }
  if (text == YAML::ErrorMsg::END_OF_MAP_FLOW) {
    return {offset, "InvalidYaml", "`,` or `}` must stand before this", {}};
  }
  if (text == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
    return {offset, "InvalidYaml", "`,` or `]` must stand before this", {}};
  }
  if (text.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
    return {offset, "InvalidYaml", "no anchor before this alias has its name",
            "a text that starts with `*` needs quotes"};
  }
  if (text == YAML::ErrorMsg::MULTIPLE_TAGS) return {offset, "InvalidYaml", "a second tag for one value", {}};
  if (text == YAML::ErrorMsg::MULTIPLE_ANCHORS) return {offset, "InvalidYaml", "a second anchor for one value", {}};
  return {offset, "InvalidYaml", "this is not valid YAML: " + error.msg, {}};
}

}  // namespace

EventList read_events(std::string_view text) {
  EventList list;
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    Recorder recorder(list.events);
    while (parser.HandleNextDocument(recorder)) {
    }
  } catch (const Leftover& leftover) {
    list.problem = Problem{leftover.offset, "InvalidYaml", "this does not belong to the value before it",
                           "check the indentation of this line"};
  } catch (const YAML::Exception& error) {
    list.problem = explain(error, text.size());
  } catch (const std::exception& error) {
    list.problem = Problem{text.size(), "InvalidYaml", std::string("this is not valid YAML: ") + error.what(), {}};
  }
  return list;
}

}  // namespace pumice::yaml
