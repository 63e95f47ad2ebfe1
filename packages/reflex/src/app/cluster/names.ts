import type { Fault } from '../../kernel/index.ts'
import { checkClusterName, checkTurnQueue, clusterFaults, type RunPlace } from '../../store/index.ts'

/** The largest number of a priority. */
export const LEAST_URGENT = 1_000_000
/** The most words that a run may ask of its worker: each admission compares them. */
export const MOST_NEEDS = 64

/** Returns the place of a run among the others, without absent parts. Throws `R5110` for a part that is not valid. */
export function checkPlace({
  queue,
  tenant,
  priority,
  needs,
}: { readonly [Part in keyof RunPlace]: RunPlace[Part] | undefined }): RunPlace {
  if (priority !== undefined && !(Number.isInteger(priority) && priority >= 0 && priority <= LEAST_URGENT))
    throw noPriority(String(priority))
  if (needs !== undefined && needs.length > MOST_NEEDS)
    throw clusterFaults.make('R5110', `the run needs ${needs.length} words of its worker; the limit is ${MOST_NEEDS}`, {
      fix: 'replace several words by one: start the workers with --has WORD and the run with --needs WORD',
    })
  return {
    ...(queue === undefined ? {} : { queue: checkTurnQueue(queue) }),
    ...(tenant === undefined ? {} : { tenant: checkClusterName('the tenant', tenant) }),
    ...(priority === undefined ? {} : { priority }),
    ...(needs === undefined ? {} : { needs: needs.map((word) => `has:${checkClusterName('the word', word)}`) }),
  }
}

/** Returns the number of a priority that a person has typed. Throws `R5110` for a text that is not one. */
export function readPriority(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw noPriority(JSON.stringify(text))
}

function noPriority(shown: string): Fault {
  return clusterFaults.make('R5110', `the priority ${shown} is not a whole number from 0 to 1,000,000`, { fix: 'write --priority 10' })
}
