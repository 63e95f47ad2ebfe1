import { basename } from 'node:path'
import type { Reflex } from '../../app/reflex.ts'
import { skillTools } from '../../kinds/skill/face/tools.ts'
import type { SkillHost as Surroundings } from '../../kinds/skill/manifest/read-skill.ts'
import { ProjectFile } from '../../kinds/skill/plan/project-file.ts'
import { type SkillHost, skillHost, type SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import { SkillRegistry } from '../registry/registry.ts'

/** The registry of a work folder, and what its host has for skills. */
export interface ProjectRegistry {
  readonly registry: SkillRegistry
  /** What manifests are checked against. */
  readonly host: Surroundings
  /** The options of the host for skills, with their defaults. */
  readonly options: SkillHost
  /** The values of the project for the blackboard. */
  readonly project: ProjectFile
}

/** The registry that is meant. */
export interface RegistryChoice {
  /** The version of Reflex: tests count for its major version. */
  readonly version: string
  /** Default: that of the host. */
  readonly env?: string | undefined
  /** The registry of this organisation in place of that of the project. */
  readonly org?: string | undefined
}

/** Opens the registry of skills of the work folder: the one way in which commands and wrapped agents find it. */
export function projectRegistry(
  reflex: Pick<Reflex, 'store' | 'workdir' | 'actor' | 'host' | 'tools' | 'optionsOf'>,
  { version, env, org }: RegistryChoice,
): ProjectRegistry {
  const { store, workdir, actor, host, tools } = reflex
  const given = (reflex.optionsOf('skill') ?? {}) as SkillOptions
  const options = skillHost(env === undefined ? given : { ...given, compat: { ...given.compat, env } }, basename(workdir))
  const registry = new SkillRegistry(store, {
    project: options.project,
    env: options.env,
    org: org ?? options.org,
    ...(org === undefined ? {} : { scope: 'org' }),
    by: actor,
    sdk: version.split('.')[0] ?? version,
    now: () => host.now(),
    unique: () => host.entropy(),
  })
  return { registry, host: { tools: skillTools(tools, options.tools) }, options, project: new ProjectFile(workdir) }
}
