#pragma once

// How many processors this process may use: its affinity mask and its cgroup's processor quota.

namespace deepinfer {

/// Logical processors; at least 1.
int allowed_processors();

/// Physical cores among them (two hyper-threads of a core count once); at least 1.
int allowed_physical_cores();

}  // namespace deepinfer
