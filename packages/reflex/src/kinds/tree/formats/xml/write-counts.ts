import type { NodeSource } from '../../model/source.ts'
import { textOf } from '../../model/text-of.ts'
import { Unsayable } from './script-write.ts'
import { onlyParams } from './write-params.ts'
import type { Attributes } from './write-context.ts'

interface WrittenNode {
  readonly name: string
  readonly attributes: Attributes
}

/** `Parallel` counts successes and failures; `ParallelAll` lets every child end and counts failures. */
export function writeParallel({ params = {}, children = [] }: NodeSource): WrittenNode {
  onlyParams(params, ['policy', 'n', 'merge_strategy', 'on_child_fail', 'max_failures'], (name, value) => DEFAULTS[name] === value)
  const { policy = 'require_all', n, merge_strategy, on_child_fail = 'cancel-siblings', max_failures } = params
  if (merge_strategy !== 'last_wins')
    throw new Unsayable('the last value of a key stays in BehaviorTree.CPP: write merge_strategy = "last_wins"')
  const all = children.length
  const needed = policy === 'require_all' ? all : policy === 'require_one' ? 1 : Number(n)
  if (on_child_fail === 'continue') {
    if (max_failures !== undefined) throw new Unsayable('ParallelAll decides by its failures alone')
    const failures = all - needed + 1
    return { name: 'ParallelAll', attributes: failures === 1 ? [] : [['max_failures', String(failures)]] }
  }
  if (on_child_fail !== 'cancel-siblings') throw new Unsayable('Parallel does not try children again')
  if (needed === all) {
    if (max_failures !== undefined) throw new Unsayable('it fails with its first failure, and has max_failures')
    return { name: 'Parallel', attributes: [] }
  }
  return {
    name: 'Parallel',
    attributes: [
      ['success_count', String(needed)],
      ['failure_count', textOf(max_failures ?? -1)],
    ],
  }
}

const DEFAULTS: Readonly<Record<string, unknown>> = { memory: true, merge_failed: false }

/** Attempts are one more than retries; -1 is without an end in both. */
export function writeRetry({ params = {} }: NodeSource): WrittenNode {
  onlyParams(params, ['max_retries'], (_, value) => value === 0)
  const { max_retries = 3 } = params
  return { name: 'RetryUntilSuccessful', attributes: [['num_attempts', String(max_retries === -1 ? -1 : Number(max_retries) + 1)]] }
}

export function writeRepeater({ params = {} }: NodeSource): WrittenNode {
  onlyParams(params, ['count'], (_, value) => value === false)
  const { count } = params
  return count === undefined
    ? { name: 'KeepRunningUntilFailure', attributes: [] }
    : { name: 'Repeat', attributes: [['num_cycles', textOf(count)]] }
}
