import type { Fault } from '../kernel/index.ts'
import { clusterFaults } from './cluster-faults.ts'

/** What separates the words of a need that any of them meets. */
export const OR = ' or '

/** Returns the need that a worker with any of some words meets. */
export function anyOf(words: readonly string[]): string {
  return [...new Set(words)].join(OR)
}

/** The form of the names of queues, of tenants, and of words that an operator says of a worker. */
export const CLUSTER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The form of the names of queues that limit calls: `model:openai`, `tool:refund`. */
const CALLS = /^(?:model|tool):[\w.-]{1,120}$/
/** The most characters of a name, and the most names of queues, that a message repeats. */
const SHOWN = 40
const LISTED = 10

/** Returns the name of a queue, a tenant or a word. Throws `R5110` for anything that is not one. `what`: it in words, such as `--has`. */
export function checkClusterName(what: string, name: string): string {
  if (CLUSTER_NAME.test(name)) return name
  throw clusterFaults.make('R5110', `${what} ${shown(name)} is not a name`, {
    fix: 'use 1 to 64 letters, digits, dots, hyphens and underscores',
  })
}

/** Throws `R5110` for a name that no queue can have: neither one of turns, nor one of calls such as `tool:refund`. */
export function checkQueueName(name: string): void {
  if (CALLS.test(name)) return
  if (!isCallQueue(name)) return void checkClusterName('the queue', name)
  throw clusterFaults.make(
    'R5110',
    `${shown(name)} is not the name of a queue: those with a colon limit calls, and are model:PROVIDER or tool:NAME`,
    {
      fix: 'write model: or tool: before the name of the provider or the tool, or leave the colon out',
    },
  )
}

/** Returns the name of a queue of runs. Throws `R5110` for a queue of calls and for anything that is not a name. */
export function checkTurnQueue(name: string): string {
  if (!isCallQueue(name)) return checkClusterName('the queue', name)
  throw clusterFaults.make('R5110', `no run waits in the queue ${shown(name)}: a queue with a colon limits the calls of runs`, {
    fix: 'name a queue without a colon: reflex queue list',
  })
}

/** Returns true for the name of a queue that limits calls in place of turns. */
export function isCallQueue(name: string): boolean {
  return name.includes(':')
}

/** Returns `R5106` for a name that is not among those of the queues. `guess`: the name that was probably meant. */
export function noQueue(name: string, queues: readonly string[], guess?: string): Fault {
  const more = queues.length > LISTED ? ` and ${queues.length - LISTED} more` : ''
  const known = guess === undefined ? `the queues are ${queues.slice(0, LISTED).join(', ')}${more}` : `did you mean "${guess}"?`
  const make = CLUSTER_NAME.test(name) || CALLS.test(name) ? `reflex queue set ${name}` : 'reflex queue list'
  return clusterFaults.make('R5106', `there is no queue ${shown(name)}; ${known}`, {
    fix: guess === undefined ? make : `write ${guess}, or make the queue: ${make}`,
  })
}

function shown(name: string): string {
  const text = JSON.stringify(name)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
