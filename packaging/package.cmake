# cpack --config build/release/CPackConfig.cmake: a Debian package of what `cmake --install` installs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fireweed)
set(CPACK_PACKAGE_CONTACT "The Fireweed maintainers <maintainers@fireweed.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Self-hosted machine-learning training cloud")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Object storage, compute instances, training jobs and prediction in one daemon that\n\
speaks the APIs of Google Cloud: gcloud, gsutil and the client libraries work unchanged.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "crun | runc, debootstrap, nftables, iproute2, util-linux, ca-certificates, git, curl, xz-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openssh-client, openssl")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/postinst
  ${CMAKE_SOURCE_DIR}/packaging/debian/postrm ${CMAKE_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
