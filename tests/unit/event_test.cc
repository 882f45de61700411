#include "pumice/simulation/event.h"

#include <catch2/catch_test_macros.hpp>

namespace pumice {
namespace {

using volcano::JobPhase;

struct Case {
  const char* line;
  const char* json;
  UserEvent want;
};

const Case kCases[] = {
    {"pod w-0 Running",
     R"({"pod":"w-0","phase":"Running"})",
     {.what = PodEvent{.pod = "w-0", .phase = PodPhase::Running}}},
    {"pod w-0 Failed exit=137",
     R"({"pod":"w-0","phase":"Failed","exitCode":137})",
     {.what = PodEvent{.pod = "w-0", .phase = PodPhase::Failed, .exit_code = 137}}},
    {"pod w-* Succeeded",
     R"({"pod":"w-*","phase":"Succeeded"})",
     {.what = PodEvent{.pod = "w-*", .phase = PodPhase::Succeeded}}},
    {"pod w-0 Failed exit=255 container=main",
     R"({"container":"main","exitCode":255,"phase":"Failed","pod":"w-0"})",
     {.what = PodEvent{.pod = "w-0", .phase = PodPhase::Failed, .exit_code = 255, .container = "main"}}},
    {"pod w-0 restarts=3", R"({"pod":"w-0","restarts":3})", {.what = PodEvent{.pod = "w-0", .restarts = 3}}},
    {"pod w-0 ready", R"({"pod":"w-0","ready":true})", {.what = PodEvent{.pod = "w-0", .ready = true}}},
    {"pod w-0 unready", R"({"pod":"w-0","ready":false})", {.what = PodEvent{.pod = "w-0", .ready = false}}},
    {"pod w-0 deleted", R"({"pod":"w-0","deleted":true})", {.what = PodEvent{.pod = "w-0", .deleted = true}}},
    {"pod w-0 evicted", R"({"pod":"w-0","evicted":true})", {.what = PodEvent{.pod = "w-0", .evicted = true}}},
    {"pod w-0 gone", R"({"pod":"w-0","gone":true})", {.what = PodEvent{.pod = "w-0", .gone = true}}},
    {"podgroup train Inqueue",
     R"({"podGroup":"train","phase":"Inqueue"})",
     {.what = PodGroupEvent{"train", PodGroupPhase::Inqueue}}},
    {"podgroup Unknown", R"({"podGroup":"","phase":"Unknown"})", {.what = PodGroupEvent{"", PodGroupPhase::Unknown}}},
    {"command AbortJob train", R"({"command":"AbortJob","job":"train"})", {.what = CommandEvent{"train", "AbortJob"}}},
    {"command Foo", R"({"command":"Foo"})", {.what = CommandEvent{"", "Foo"}}},
    {"command \"\"", R"({"command":""})", {.what = CommandEvent{"", ""}}},
    {R"(command "two words" "#x")", R"({"command":"two words","job":"#x"})", {.what = CommandEvent{"#x", "two words"}}},
    {"advance 1m30s", R"({"advance":"1m30s"})", {.what = AdvanceEvent{AdvanceEvent::By::Duration, seconds(90)}}},
    {"advance next", R"({"advance":"next"})", {.what = AdvanceEvent{AdvanceEvent::By::Next, {}}}},
    {"advance nextTimer", R"({"advance":"nextTimer"})", {.what = AdvanceEvent{AdvanceEvent::By::NextTimer, {}}}},
    {"until Running", R"({"until":"Running"})", {.what = UntilEvent{UntilEvent::By::Phase, JobPhase::Running, ""}}},
    {"until settled train",
     R"({"until":"settled","job":"train"})",
     {.what = UntilEvent{UntilEvent::By::Settled, JobPhase::None, "train"}}},
    {"until change", R"({"until":"change"})", {.what = UntilEvent{UntilEvent::By::Change, JobPhase::None, ""}}},
    {"@1m0s pod w-0 gone",
     R"({"at":"1m0s","pod":"w-0","gone":true})",
     {.at = seconds(60), .what = PodEvent{.pod = "w-0", .gone = true}}},
};

TEST_CASE("events in both forms, back and forth", "[event]") {
  for (const Case& c : kCases) {
    INFO(c.line);
    const auto from_line = parse_event(c.line);
    REQUIRE(from_line.ok());
    CHECK(*from_line.value == c.want);
    const auto from_json = read_event(Json::parse(c.json));
    REQUIRE(from_json.ok());
    CHECK(*from_json.value == c.want);
    CHECK(to_line(c.want) == c.line);
    CHECK(to_json(c.want) == Json::parse(c.json));
  }
}

TEST_CASE("other spellings that are understood", "[event]") {
  struct Alias {
    const char* line;
    const char* same;
  };
  for (const Alias& a : {Alias{"pg train Inqueue", "podgroup train Inqueue"},
                         {"podGroup Inqueue", "podgroup Inqueue"},
                         {"cmd AbortJob", "command AbortJob"},
                         {"  pod\tw-0   Running  # a comment", "pod w-0 Running"},
                         {"pod w-0 phase=Failed exitCode=1", "pod w-0 Failed exit=1"},
                         {"@60s advance 1s", "@1m0s advance 1s"},
                         {R"(pod "w-0" Running)", "pod w-0 Running"}}) {
    INFO(a.line);
    const auto event = parse_event(a.line);
    REQUIRE(event.ok());
    CHECK(to_line(*event.value) == a.same);
  }
}

TEST_CASE("a null member is an absent one", "[event]") {
  const auto event = read_event(Json::parse(R"({"pod":"w-0","phase":"Running","exitCode":null,"at":null})"));
  REQUIRE(event.ok());
  CHECK(to_line(*event.value) == "pod w-0 Running");
}

TEST_CASE("wrong lines say what is wrong, and at which column", "[event]") {
  struct Wrong {
    const char* line;
    std::int32_t column;
    const char* message;
    const char* hint;
  };
  for (const Wrong& w : {
           Wrong{"", 1, "the line holds no event", "for example `pod w-0 Running`"},
           {"# only a comment", 1, "the line holds no event", "for example `pod w-0 Running`"},
           {"pd w-0 Running", 1,
            "`pd` is not a kind of event: `pod`, `podgroup`, `command`, `advance`, `until`, `delete`, ",
            "did you mean `pod`?"},
           {"next", 1, "`next` is not a kind of event: `pod`, `podgroup`, `command`, `advance` or `until`",
            "did you mean `advance next`?"},
           {"pod", 1, "the pod's name is missing",
            "for example `pod w-0 Failed exit=137`; `*` stands for any characters"},
           {"pod w-0 failed", 9, "`failed` says nothing about a pod", "did you mean `Failed`?"},
           {"pod w-0 Failed exit=abc", 16, "`abc` is not a whole number of 32 bits", ""},
           {"pod w-0 Failed exit=99999999999", 16, "`99999999999` is not a whole number of 32 bits", ""},
           {"pod w-0 Failed exi=1", 16, "`exi=` is not known", "did you mean `exit`?"},
           {"pod w-0 Failed exit=256", 16, "an exit code is 0 to 255, 256 is none", ""},
           {"pod w-0 Failed exit=-1", 16, "an exit code is 0 to 255, -1 is none", ""},
           {"pod w-0 Running Failed", 17, "a pod has one phase, this is the second", ""},
           {"pod w-0 Running phase=Running", 17, "a pod has one phase, this is the second", ""},
           {"pod w-0 Failed exit=1 exit=2", 23, "an exit code is given already", ""},
           {"pod w-0 Failed exit=1 exitCode=1", 23, "an exit code is given already", ""},
           {"pod w-0 restarts=1 restarts=2", 20, "`restarts` is given already", ""},
           {"pod w-0 ready container=a container=b", 27, "a container is named already", ""},
           {"pod w-0 ready unready", 15, "whether the pod is ready is said already", ""},
           {"pod w-0 gone gone", 14, "`gone` is said already", ""},
           {"advance 9999999h", 9, "`9999999h` is too long a duration: 2562047h47m16s, some 292 years, are the most",
            ""},
           {"pod w-0", 5, "nothing is said about the pod", ""},
           {"pod w-0 Running gone", 5, "an event changes one thing about a pod", ""},
           {"pod w-0 restarts=-1", 5, "`restarts` must not be negative", ""},
           {"pod w-0 Running exit=1", 5, "an exit code belongs to a pod that is `Failed` or `Succeeded`", ""},
           {"pod w-0 Succeeded exit=1", 5, "a pod that `Succeeded` has exit code 0", ""},
           {"pod w-0 Running container=main", 5, "a container is named, but nothing is said about it", ""},
           {"podgroup", 1, "the phase is missing", "for example `podgroup train Inqueue`"},
           {"podgroup train Queued", 16, "`Queued` is not a phase of a PodGroup", ""},
           {"podgroup a Inqueue b", 20, "`b` is one word too many", ""},
           {"command", 1, "the action is missing", "for example `command AbortJob train`"},
           {"advance soon", 9, "`soon` is not a duration", "write it as `90s`, `1m30s` or `2h`"},
           {"advance -1s", 9, "the duration must not be negative", ""},
           {"until Runing", 7, "`Runing` is nothing to wait for", "did you mean `Running`?"},
           {"@soon pod w-0 gone", 1, "`soon` is not a duration", "write it as `90s`, `1m30s` or `2h`"},
           {"pod \"w-0 Running", 5, "the quote is not closed", ""},
           {"pod \"w\\q\" Running", 5, "this is not a string as JSON writes it", ""},
           {"pod w-\xff Running", 7, "byte 0xFF is not UTF-8", ""},
           {R"(pod "w\b" Running)", 5, "the control character U+0008", ""},
       }) {
    INFO(w.line);
    const auto event = parse_event(w.line);
    REQUIRE(!event.ok());
    REQUIRE(!event.diagnostics.empty());
    const Diagnostic& first = event.diagnostics.front();
    CHECK(first.code == "InvalidEvent");
    CHECK(first.range.begin == Position{1, w.column});
    CHECK(first.message.starts_with(w.message));
    if (*w.hint != '\0') CHECK(first.hint == w.hint);
  }
}

TEST_CASE("wrong mappings name the member", "[event]") {
  struct Wrong {
    const char* json;
    const char* field;
    const char* message;
  };
  for (const Wrong& w : {
           Wrong{"[]", "", "an event is a mapping such as `{pod: w-0, phase: Running}`, this is a list"},
           {"{}", "", "the kind of event is missing"},
           {R"({"pod":"w-0","command":"AbortJob"})", "command", "an event is about one thing"},
           {R"({"edit":{}})", "edit", "must be a string, is a mapping"},
           {R"({"pod":7,"phase":"Running"})", "pod", "must be a string, is a number"},
           {R"({"pod":"","phase":"Running"})", "pod", "must not be empty"},
           {R"({"pod":"w-0","phase":"running"})", "phase", "`running` is not a pod phase"},
           {R"({"pod":"w-0","phase":"Failed","exitcode":1})", "exitcode", "unknown member `exitcode`"},
           {R"({"pod":"w-0","phase":"Failed","exitCode":"1"})", "exitCode", "must be a number, is a string"},
           {R"({"pod":"w-0","phase":"Failed","exitCode":300})", "exitCode", "an exit code is 0 to 255, 300 is none"},
           {R"({"advance":"9999999h"})", "advance", "`9999999h` is too long a duration"},
           {R"({"pod":"w-0","phase":"Failed","exitCode":1.5})", "exitCode", "must be a whole number"},
           {R"({"pod":"w-0","phase":"Failed","exitCode":18446744073709551615})", "exitCode",
            "does not fit into 32 bits"},
           {R"({"pod":"w-0","phase":"Failed","exitCode":1e300})", "exitCode", "must be a whole number"},
           {R"({"pod":"w-0","gone":"yes"})", "gone", "must be `true` or `false`, is a string"},
           {R"({"pod":"w-0","gone":false})", "pod", "nothing is said about the pod"},
           {R"({"podGroup":"train"})", "podGroup", "the phase is missing"},
           {R"({"advance":"5"})", "advance", "`5` is neither a duration nor `next` nor `nextTimer`"},
           {R"({"advance":"-5s"})", "advance", "must not be negative"},
           {R"({"until":"Done"})", "until", "`Done` is nothing to wait for"},
           {R"({"pod":"w-0","phase":"Running","at":"-1s"})", "at", "must not be negative"},
           {R"({"command":"a\u0001b"})", "command", "the control character U+0001 is not allowed"},
       }) {
    INFO(w.json);
    const auto event = read_event(Json::parse(w.json));
    REQUIRE(!event.ok());
    REQUIRE(!event.diagnostics.empty());
    CHECK(event.diagnostics.front().field == w.field);
    CHECK(event.diagnostics.front().message.starts_with(w.message));
  }
}

TEST_CASE("an action that nobody knows is carried out, with a hint if it is near one", "[event]") {
  const auto line = parse_event("command restartjob train");
  REQUIRE(line.ok());
  REQUIRE(line.diagnostics.size() == 1);
  CHECK(to_text(line.diagnostics.front()) ==
        "1:9: warning: `restartjob` is no known action, so the controller takes the phase's default (did you mean "
        "`RestartJob`?)");
  const auto json = read_event(Json::parse(R"({"command":"Abortjob"})"));
  REQUIRE(json.ok());
  REQUIRE(json.diagnostics.size() == 1);
  CHECK(json.diagnostics.front().field == "command");
  CHECK(json.diagnostics.front().hint == "did you mean `AbortJob`?");
  for (const char* silent : {"command RestartJob", "command Reboot", "command \"\""})
    CHECK(parse_event(silent).diagnostics.empty());
}

TEST_CASE("all that is wrong with a mapping is told at once", "[event]") {
  const auto event = read_event(Json::parse(R"({"pod":"w-0","phase":"x","exitCode":"y","at":"z","extra":1})"));
  REQUIRE(!event.ok());
  CHECK(event.diagnostics.size() == 4);
}

}  // namespace
}  // namespace pumice
