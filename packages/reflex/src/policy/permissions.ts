import { type Json, type JsonObject, type Permissions, type Term, type TermedNeed } from '../kernel/index.ts'
import type { JudgedCall, PolicyVerdict } from './verdict.ts'
import type { Trust } from './trust.ts'

/** The name of the node at the end of a path, as people know it. */
function nodeName(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1) || 'the program'
}

/** Returns the question about permissions that the operator wants to be asked about (reference pipeline 5.2). */
export function permissionQuestion(place: string, open: readonly TermedNeed[]): JsonObject {
  const name = nodeName(place)
  const terms = open.map(({ by, grant }) => `${by} wants to be asked about ${grant}.`)
  return {
    text: `May ${name} use ${open.map(({ need }) => need).join(' and ')}?`,
    options: [
      { value: 'allow', label: 'Allow', detail: `${name} may, in this run` },
      { value: 'deny', label: 'Deny', detail: 'the node fails' },
    ],
    about: [...new Set(terms)].join(' '),
  }
}

/** Returns the term of a grant that holds only on terms. */
export function termOf({ by, rule = '', terms }: PolicyVerdict): Term {
  return {
    grant: rule,
    by,
    ...(terms?.ask === true ? { ask: true } : {}),
    ...(terms?.maxUses === undefined ? {} : { most: terms.maxUses }),
  }
}

/** Works out the rights of a program from what it says that it will need. */
export function permissionsAhead(
  { run, settings }: JudgedCall,
  needs: readonly string[],
  { trust, judge, folder }: { readonly trust: Trust; readonly judge: (need: string) => PolicyVerdict; readonly folder: string },
): Omit<Permissions, 'facts'> {
  const denied: Record<string, string> = {}
  const terms: Record<string, Term> = {}
  for (const need of needs) {
    const verdict = judge(need)
    if (verdict.terms !== undefined) terms[need] = termOf(verdict)
    else if (!verdict.allowed) denied[need] = verdict.by === 'nobody' ? `this run is ${trust}` : `${verdict.by} denies it`
  }
  const { workdir, limits = {}, agentId, routing } = settings
  const shown: Record<string, Json> = {
    run,
    workdir,
    folder,
    limits: { ...limits },
    ...(settings.simulated ? { simulated: true } : {}),
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(routing === undefined ? {} : { routing: { ...routing } as JsonObject }),
  }
  return { trust, denied, terms, settings: shown }
}
