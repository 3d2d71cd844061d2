// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capabilities; see privileges.h. They are needed because tracing the whole kernel shows what
 * everybody does on the machine. They are checked here because the kernel's own answers (EPERM,
 * EACCES, zeros for addresses) do not say which one is missing.
 */
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>

#include "base/error.h"
#include "base/privileges.h"

static const struct {
	cap_value_t value;
	const char *name, *what;
} needed[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "tracefs" },
	{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", "tracefs files" },
	{ CAP_BPF, "CAP_BPF", "BPF programs and maps" },
	{ CAP_PERFMON, "CAP_PERFMON", "BPF tracing programs" },
	{ CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses" },
};

const char *privileges__hint(int err)
{
	char text[128] = "";
	FILE *f;

	if (err != -EPERM && err != -EACCES)
		return "";
	f = fopen("/sys/kernel/security/lockdown", "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	if (strstr(text, "[confidentiality]"))
		return "; the kernel is locked down (/sys/kernel/security/lockdown says "
		       "confidentiality): boot it with lockdown=integrity or none";
	return "";
}

int privileges__check(void)
{
	char missing[256] = "";
	cap_flag_value_t set;
	cap_t caps;

	caps = cap_get_proc();
	if (!caps)
		return error__return(-EPERM, "cannot read the capabilities of this process: %s",
				     strerror(errno));
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		size_t used = strlen(missing);

		if (cap_get_flag(caps, needed[i].value, CAP_EFFECTIVE, &set) || set != CAP_SET)
			snprintf(missing + used, sizeof(missing) - used, "%s%s (%s)",
				 used ? ", " : "", needed[i].name, needed[i].what);
	}
	cap_free(caps);
	if (*missing)
		return error__return(-EPERM, "not permitted: needs %s; run it as root", missing);
	return 0;
}
