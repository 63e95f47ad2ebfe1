import { basename } from 'node:path'
import type { Reflex } from '../../app/reflex.ts'
import { skillTools } from '../../kinds/skill/face/tools.ts'
import type { SkillHost } from '../../kinds/skill/manifest/read-skill.ts'
import { skillHost, type SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import { SkillRegistry } from '../registry/registry.ts'

/** The registry of a work folder, and what its host has for skills. */
export interface ProjectRegistry {
  readonly registry: SkillRegistry
  readonly host: SkillHost
}

/** Returns the registry of skills of the work folder in an environment; default: that of the options of its host. `version`: that of Reflex, as tests count for one major. */
export function projectRegistry(
  reflex: Pick<Reflex, 'store' | 'workdir' | 'actor' | 'host' | 'tools' | 'optionsOf'>,
  { version, env }: { readonly version: string; readonly env?: string | undefined },
): ProjectRegistry {
  const { store, workdir, actor, host, tools } = reflex
  const options = (reflex.optionsOf('skill') ?? {}) as SkillOptions
  const own = skillHost(env === undefined ? options : { ...options, compat: { ...options.compat, env } }, basename(workdir))
  const registry = new SkillRegistry(store, {
    project: own.project,
    env: own.env,
    by: actor,
    sdk: version.split('.')[0] ?? '',
    now: () => host.now(),
    unique: () => host.entropy(),
  })
  return { registry, host: { tools: skillTools(tools, own.tools) } }
}
