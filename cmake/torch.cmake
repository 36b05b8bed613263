# libtorch as Debian ships it, narrowed to what we use. Its own target drags in CXX flags for CUDA and a -D_GLIBCXX flag we
# do not want to see everywhere, so it is wrapped once and its headers are system headers (their warnings are not ours).
find_package(Torch REQUIRED)
add_library(cmr_torch INTERFACE)
target_link_libraries(cmr_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(cmr_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
