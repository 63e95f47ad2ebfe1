import type { ProjectRegistry } from '../../learn/snapshot/project-registry.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

/** The options of the verb `skill`. */
export interface SkillFlags extends ContinueFlags {
  readonly run?: string
  readonly junit?: string
  readonly share?: string
  readonly reason?: string
  readonly deprecate?: boolean
  readonly env?: string
  readonly org?: string
  readonly to?: string
  readonly out?: string
  readonly tools?: readonly string[]
}

/** What an action about skills works with. */
export interface Given {
  readonly session: Session
  readonly project: ProjectRegistry
  readonly flags: SkillFlags
  /** The words after the skill. */
  readonly rest: readonly string[]
}

/** Performs an action on what its first word names, and returns the exit code. */
export type Act = (given: Given, name: string) => Promise<number>
