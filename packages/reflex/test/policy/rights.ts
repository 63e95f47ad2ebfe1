import type { Judgement, Policy, Term } from '../../src/kernel/index.ts'
import { budgetQuestion, priceQuestion } from '../../src/policy/budget.ts'
import type { RunSettings, Trust } from '../../src/policy/index.ts'
import { permissionQuestion, permissionsAhead } from '../../src/policy/permissions.ts'
import { faults } from '../../src/kernel/index.ts'

/** What a test says of an operator's rules. */
export interface Rights {
  readonly trust?: string
  readonly refuses?: (capability: string) => string | undefined
  readonly terms?: (capability: string) => Term | undefined
}

const ALLOWED: Judgement = { allowed: true }

/** A policy that refuses only what a test says, and asks about what it grants on terms. */
export function rightsPolicy({ trust = 'trusted', refuses, terms }: Rights = {}): Policy<RunSettings> {
  return {
    judge(call, { needs = [] }) {
      const found = needs.flatMap((need) => {
        const term = terms?.(need)
        return term === undefined ? [] : [{ need, ...term }]
      })
      if (found.length === 0) return ALLOWED
      return {
        terms: found,
        question: (open) => permissionQuestion(call.place, open),
        refusal: ([first]) => faults.make('R3001', `needs ${first?.need}; ${first?.grant} of ${first?.by} is not met`),
      }
    },
    ahead: (call, needs) =>
      permissionsAhead(call, needs, {
        trust: trust as Trust,
        folder: call.settings.folder,
        judge(need) {
          const by = refuses?.(need)
          if (by !== undefined) return { allowed: false, by }
          const term = terms?.(need)
          if (term === undefined) return { allowed: true, by: trust }
          const { ask, most } = term
          return {
            allowed: false,
            by: term.by,
            rule: term.grant,
            terms: { ...(ask === undefined ? {} : { ask }), ...(most === undefined ? {} : { maxUses: most }) },
          }
        },
      }),
    budgetQuestion,
    priceQuestion,
  }
}
