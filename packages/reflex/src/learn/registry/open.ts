import { basename } from 'node:path'
import { skillHost, type SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import type { Host, Store } from '../../kernel/index.ts'
import { SkillRegistry } from './registry.ts'

/** What a registry is opened with: a `Reflex` has all of it. */
export interface RegistryOwner {
  readonly store: Store
  readonly host: Host
  readonly workdir: string
  readonly actor: string
  optionsOf(kind: string): unknown
}

/** Opens the registry of the project and environment of a host. `version`: that of Reflex, whose major version tests count for. */
export function openRegistry(owner: RegistryOwner, version: string): SkillRegistry {
  const { store, host, workdir, actor } = owner
  const options = (owner.optionsOf('skill') ?? {}) as SkillOptions
  const { project, env } = skillHost(options, basename(workdir))
  return new SkillRegistry(store, {
    project,
    env,
    by: actor,
    sdk: version.split('.')[0] ?? version,
    now: () => host.now(),
    unique: () => host.entropy(),
  })
}
