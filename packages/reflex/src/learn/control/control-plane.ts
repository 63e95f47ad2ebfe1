import type { Reflex } from '../../app/reflex.ts'
import type { Fault, Host, Store } from '../../kernel/index.ts'
import { ControlClient } from '../../kinds/skill/control/client.ts'
import { faults } from '../../kinds/skill/control/faults.ts'
import { type ControlSettings, controlSettings } from '../../kinds/skill/control/settings.ts'
import type { SkillHost as Surroundings } from '../../kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { SkillHost, SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import type { SkillRegistry } from '../registry/registry.ts'

/** The registry of a project and the control plane of its organisation. */
export interface ControlledProject {
  readonly client: ControlClient
  readonly registry: SkillRegistry
  readonly store: Store
  readonly host: Host
  readonly project: string
  readonly env: string
  readonly tools: readonly SkillTool[]
}

/** The registry of a project, as it was opened. */
export interface OpenProject {
  readonly registry: SkillRegistry
  readonly host: Surroundings
  readonly options: SkillHost
}

/** Connects a project with the control plane of its host. Throws `R2175` if there is none, and `R2174`. */
export function controlledProject(reflex: Reflex, { registry, host, options }: OpenProject): ControlledProject {
  const settings = settingsOf(reflex)
  if (settings === undefined) throw faults.make('R2175', 'no control plane is set')
  const report = (fault: Fault): void => reflex.report(fault)
  return {
    client: new ControlClient(settings, { host: reflex.host, report }),
    registry,
    store: reflex.store,
    host: reflex.host,
    project: options.project,
    env: options.env,
    tools: host.tools ?? [],
  }
}

/** True if a host has a control plane. Throws `R2174`. */
export function hasControlPlane(reflex: Reflex): boolean {
  return settingsOf(reflex) !== undefined
}

function settingsOf(reflex: Reflex): ControlSettings | undefined {
  const { controlPlane } = (reflex.optionsOf('skill') ?? {}) as SkillOptions
  return controlSettings(controlPlane, (name) => reflex.variable(name))
}
