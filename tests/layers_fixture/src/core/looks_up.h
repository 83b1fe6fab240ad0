#pragma once

// Wrong on purpose: tests/layers.cmake has to refuse this line.
#include "graph/above.h"
