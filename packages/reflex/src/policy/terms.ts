import { type Folders, type Pattern, readPattern } from './capability.ts'

/** A capability that is granted until a time, or for a number of uses (reference pipeline 5.2). */
export interface BoundedGrant {
  readonly capability: string
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number
  /** Executions of stages in one run. */
  readonly maxUses?: number
}

/** The conditions of a grant: a person is asked, or the uses in a run are counted. */
export interface Terms {
  readonly ask?: true
  readonly maxUses?: number
}

/** A grant with terms, ready to be matched. */
export interface TermedGrant extends Terms {
  readonly by: string
  readonly pattern: Pattern
  readonly expiresAt?: number
}

/** The parts of a policy file with terms. */
interface TermedFile {
  readonly file?: string | undefined
  readonly ask?: readonly string[]
  readonly bounded?: readonly BoundedGrant[]
}

/** Returns the grants with terms of policy files: first those that ask a person, then those with limits. */
export function termedGrants(grants: readonly TermedFile[], folders: Folders): readonly TermedGrant[] {
  return grants.flatMap(({ file: by = 'the operator', ask = [], bounded = [] }) => {
    const read = (text: string, terms: Partial<TermedGrant>): TermedGrant[] => {
      const pattern = readPattern(text, folders)
      return 'problem' in pattern ? [] : [{ by, pattern, ...terms }]
    }
    return [...ask.flatMap((text) => read(text, { ask: true })), ...bounded.flatMap(({ capability, ...terms }) => read(capability, terms))]
  })
}

/** True if a grant has not ended. Without a clock, a grant with an end has ended. */
export function isCurrent({ expiresAt }: Pick<TermedGrant, 'expiresAt'>, now: (() => number) | undefined): boolean {
  return expiresAt === undefined || (now !== undefined && now() < expiresAt)
}

/** The terms of a grant; nothing if it is granted without any. */
export function termsOf({ ask, maxUses }: TermedGrant): Terms | undefined {
  if (ask === true) return { ask }
  return maxUses === undefined ? undefined : { maxUses }
}
