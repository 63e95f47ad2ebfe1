import type { Reflex } from '../app/reflex.ts'
import type { Principal } from '../programs/route.ts'
import { serveFaults } from '../protocol/faults.ts'
import { mayUse } from './principals.ts'

/** Checks that a principal may send to a topic of a run: commands of a debugger change the results of nodes. Throws `R6002`. */
export async function checkTopic(reflex: Reflex, run: string, topic: string, principal: Principal): Promise<void> {
  if (mayUse(principal, 'admin')) return
  const { program } = await reflex.find(run)
  const { live } = (await reflex.kinds.load(program[1])) ?? {}
  if (live?.topics.debug !== topic) return
  throw serveFaults.make('R6002', `the token ${principal.name} may not debug: messages to the topic ${topic} need the scope admin`)
}
