import { basename } from 'node:path'
import type { Fault, Host, Store } from '../../kernel/index.ts'
import { ControlClient } from '../../kinds/skill/control/client.ts'
import { faults } from '../../kinds/skill/control/faults.ts'
import { controlSettings } from '../../kinds/skill/control/settings.ts'
import { skillTools } from '../../kinds/skill/face/tools.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { skillHost, type SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import type { Reflex } from '../../app/reflex.ts'
import { openRegistry } from '../registry/open.ts'
import type { SkillRegistry } from '../registry/registry.ts'

/** The registry of a project and the control plane of its organisation. */
export interface ControlledProject {
  readonly client: ControlClient
  readonly registry: SkillRegistry
  readonly store: Store
  readonly host: Host
  readonly project: string
  readonly env: string
  readonly actor: string
  readonly tools: readonly SkillTool[]
}

/** Opens the registry of a host with its control plane. `version`: that of Reflex. Throws `R2175` if there is none, and `R2174`. */
export function controlledProject(reflex: Reflex, version: string): ControlledProject {
  const options = (reflex.optionsOf('skill') ?? {}) as SkillOptions
  const settings = controlSettings(options.controlPlane, (name) => reflex.variable(name))
  if (settings === undefined) throw faults.make('R2175', 'no control plane is set')
  const { project, env, tools } = skillHost(options, basename(reflex.workdir))
  const report = (fault: Fault): void => reflex.report(fault)
  return {
    client: new ControlClient(settings, { host: reflex.host, report }),
    registry: openRegistry(reflex, version, options),
    store: reflex.store,
    host: reflex.host,
    project,
    env,
    actor: reflex.actor,
    tools: skillTools(reflex.tools, tools),
  }
}
