// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose initcall takes a known time, or that has a device whose probe is deferred a known
 * number of times, for tests of hytrace boot. It also has a per-CPU variable, for a function event.
 */
#include <linux/delay.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>

static unsigned int spin_ms;
module_param(spin_ms, uint, 0);
static unsigned int sleep_ms;
module_param(sleep_ms, uint, 0);
static unsigned int probe_ms;
module_param(probe_ms, uint, 0);
static unsigned int defer;
module_param(defer, uint, 0);

static struct platform_device *waits, *other[2];
/* A function event of this function must not take this for a variable. */
static DEFINE_PER_CPU(u64, planted_probes);

static noinline int planted_probe(struct platform_device *device)
{
	this_cpu_inc(planted_probes);
	if (device == waits && defer) {
		defer--;
		return -EPROBE_DEFER;
	}
	preempt_disable();
	mdelay(probe_ms);
	preempt_enable();
	return 0;
}

static const struct platform_device_id planted_ids[] = { { "planted_waits" }, { "planted_other" }, { } };
static struct platform_driver planted_driver = {
	.probe = planted_probe,
	.id_table = planted_ids,
	.driver.name = "planted",
};

/* When a probe has succeeded, the kernel asks again for those that were deferred. */
static int __init add_devices(void)
{
	int i, err = platform_driver_register(&planted_driver);

	if (err)
		return err;
	waits = platform_device_alloc("planted_waits", PLATFORM_DEVID_NONE);
	if (!waits || platform_device_add(waits))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		other[i] = platform_device_register_simple("planted_other", i, NULL, 0);
		if (IS_ERR(other[i]))
			return PTR_ERR(other[i]);
		msleep(20);
	}
	return 0;
}

static int __init planted_init(void)
{
	preempt_disable();
	mdelay(spin_ms);
	preempt_enable();
	if (sleep_ms)
		msleep(sleep_ms);
	return probe_ms ? add_devices() : 0;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("An initcall, or a probe, that takes a known time");
MODULE_LICENSE("GPL");
