#pragma once

// Timings and profile of an observed run as fields of a command's JSON. For .cpp files that already
// use the JSON library.

#include "cli/json_output.h"
#include "cli/observation.h"

namespace deepinfer::cli {

inline Json to_json(const KeptTiming& timing) {
  Json regions = Json::array();
  for (const KeptRegion& region : timing.regions)
    regions.push_back(
        {{"kind", region.kind}, {"count", region.count}, {"mean_ms", region.mean_ms}});
  return {{"step", timing.step.step},
          {"rows", timing.step.rows},
          {"copy_ms", timing.step.copy_ms},
          {"total_ms", timing.step.total_ms},
          {"regions_ms", timing.step.regions_ms},
          {"outside_ms", timing.step.outside_ms()},
          {"regions", regions}};
}

inline Json to_json(const KeptProfile& profile) {
  Json ops = Json::array();
  for (const KeptOp& op : profile.ops)
    ops.push_back({{"place", op.op.place},
                   {"op", op.op.name},
                   {"ms", op.ms},
                   {"bytes", op.op.cost.bytes},
                   {"gb_per_s", op.gb_per_s},
                   {"flops", op.op.cost.flops},
                   {"gflop_per_s", op.gflop_per_s},
                   {"share", op.share}});
  return {{"step", profile.step.step},         {"rows", profile.step.rows},
          {"total_ms", profile.step.total_ms}, {"ops_ms", profile.step.ops_ms},
          {"op_count", profile.step.op_count}, {"ops", ops}};
}

/// Adds `region_timings` and `profile` (null if the run was too short) if they were asked for.
inline void add_observation(Json& json, const Observation& observation) {
  if (!observation.times_regions()) return;
  Json timings = Json::array();
  for (const KeptTiming& timing : observation.timings()) timings.push_back(to_json(timing));
  json["region_timings"] = std::move(timings);
  json["profile"] =
      observation.profile().has_value() ? to_json(*observation.profile()) : Json(nullptr);
}

}  // namespace deepinfer::cli
