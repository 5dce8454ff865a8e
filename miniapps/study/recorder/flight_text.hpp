// The verdict as text, and flight_recorder.json.
#pragma once
#include <string>
#include <vector>

#include "miniapps/study/recorder/flight_verdict.hpp"

namespace weir {

inline constexpr const char* flight_file = "flight_recorder.json";

std::string verdict_text(const Finding& finding);  // cause, evidence and suggested change
std::string flight_text(const Finding& finding);   // the same for the end of the log
void write_flight(const std::string& path, const Finding& finding, const std::string& reason,
                  const std::vector<FlightStep>& steps, const std::vector<FlightMoment>& history,
                  const std::vector<std::string>& variables, const std::vector<std::string>& systems);

}  // namespace weir
