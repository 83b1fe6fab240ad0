#pragma once

// A layer above core, for looks_up.h to include.
