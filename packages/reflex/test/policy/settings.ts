import { fixedSettings, type SettingsCodec } from '../../src/kernel/index.ts'
import type { JudgedCall, RunSettings } from '../../src/policy/index.ts'

/** Settings of a run in a test. */
export function settingsWith(change: Partial<RunSettings> = {}): RunSettings {
  return { actor: 'the test', simulated: false, trust: 'probationary', workdir: '/work', folder: '/work/.reflex/runs/otter', ...change }
}

/** A call of a run in a test, as the policy sees it. */
export function callWith(change: Partial<RunSettings> = {}, run = 'otter'): JudgedCall {
  return { run, settings: settingsWith(change), untrusted: false }
}

/** The settings of runs below `/runs`, which work in `/work`. */
export function runsSettings(change: Partial<RunSettings> = {}): SettingsCodec<RunSettings> {
  return fixedSettings((run) => settingsWith({ folder: `/runs/${run}`, ...change }))
}
