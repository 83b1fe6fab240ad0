// A shared object that is no PJRT plug-in.

extern "C" int no_pjrt_plugin() { return 1; }
