# pumice_own(<target>): what holds for every target made of our own code. Nothing of it reaches the users of a target.
function(pumice_own target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               COMPILE_WARNING_AS_ERROR ${PUMICE_WERROR})
  set(options
      -Wall
      -Wextra
      -Wpedantic
      -Wshadow
      -Wconversion
      -Wswitch-enum
      -Wimplicit-fallthrough
      -Wnon-virtual-dtor
      # Designated initialisers leave out what has a default, and mean it.
      -Wno-missing-field-initializers
      # GCC 12 sees overlaps in std::string that cannot happen (GCC bug 105651).
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
      # Optimised, g++ 12 takes members of an empty optional for read; the sanitizers look at that better.
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
      # The same doubles natively and in wasm, where no fused multiply-add exists.
      -ffp-contract=off
      # No folder of the building machine in messages and debug information.
      "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
      -ffunction-sections
      -fdata-sections)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${options}>")
endfunction()
