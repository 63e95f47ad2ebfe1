import type { RunPlace } from '../../store/index.ts'
import { shortJson } from '../../text/index.ts'
import { memberFaults } from './faults.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The largest number of a priority. */
export const LEAST_URGENT = 1_000_000
/** The most words that a run may ask of its worker: each admission compares them. */
export const MOST_NEEDS = 64

/** Returns the name of a queue, a tenant or a word. Throws `R5143` for anything that is not one. `what`: it in words, such as `--queue`. */
export function checkName(what: string, name: string): string {
  if (NAME.test(name)) return name
  const fix = 'use 1 to 64 letters, digits, dots, hyphens and underscores'
  throw memberFaults.make('R5143', `${what} ${shortJson(name)} is not a name`, { fix })
}

/** Returns the place of a run among the others, without absent parts. Throws `R5143` for a part that is not valid. */
export function checkPlace({
  queue,
  tenant,
  priority,
  needs,
}: { readonly [Part in keyof RunPlace]: RunPlace[Part] | undefined }): RunPlace {
  if (priority !== undefined && !(Number.isInteger(priority) && priority >= 0 && priority <= LEAST_URGENT))
    throw memberFaults.make('R5143', `the priority ${priority} is not a whole number from 0 to 1,000,000`, { fix: 'write --priority 10' })
  if (needs !== undefined && needs.length > MOST_NEEDS)
    throw memberFaults.make('R5143', `the run needs ${needs.length} words of its worker; the limit is ${MOST_NEEDS}`, {
      fix: 'replace several words by one: start the workers with --has WORD and the run with --needs WORD',
    })
  return {
    ...(queue === undefined ? {} : { queue: checkName('the queue', queue) }),
    ...(tenant === undefined ? {} : { tenant: checkName('the tenant', tenant) }),
    ...(priority === undefined ? {} : { priority }),
    ...(needs === undefined ? {} : { needs: needs.map((word) => `has:${checkName('the word', word)}`) }),
  }
}
