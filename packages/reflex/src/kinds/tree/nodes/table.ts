import { type NodeManifest } from '../manifest/manifest.ts'
import { action } from './action.ts'
import { alwaysFail } from './always-fail.ts'
import { alwaysSucceed } from './always-succeed.ts'
import { ask } from './ask.ts'
import { call } from './call.ts'
import { codeSearch } from './code-search.ts'
import { condition } from './condition.ts'
import { cooldown } from './cooldown.ts'
import { delay } from './delay.ts'
import { fail } from './fail.ts'
import { forEach } from './for-each.ts'
import { guard } from './guard.ts'
import { ifThenElse } from './if-then-else.ts'
import { inverter } from './inverter.ts'
import { llmCall } from './llm-call.ts'
import { oracle } from './oracle.ts'
import { parallel } from './parallel.ts'
import { reactiveSelector } from './reactive-selector.ts'
import { reactiveSequence } from './reactive-sequence.ts'
import { repeater } from './repeater.ts'
import { retry } from './retry.ts'
import { runOnce } from './run-once.ts'
import { script } from './script.ts'
import { selector } from './selector.ts'
import { selectorWithMemory } from './selector-with-memory.ts'
import { sequence } from './sequence.ts'
import { sequenceWithMemory } from './sequence-with-memory.ts'
import { set } from './set.ts'
import { subtreeRef } from './subtree-ref.ts'
import { succeed } from './succeed.ts'
import { switchNode } from './switch.ts'
import { timeout } from './timeout.ts'
import { tool } from './tool.ts'
import { unset } from './unset.ts'
import { vaultSearch } from './vault-search.ts'
import { wait } from './wait.ts'
import { whileDoElse } from './while-do-else.ts'

/** The catalogue: every type of node that a tree has without additions of its host. Composites, decorators, leaves. */
export const CATALOGUE = [
  sequence,
  selector,
  reactiveSequence,
  reactiveSelector,
  sequenceWithMemory,
  selectorWithMemory,
  parallel,
  forEach,
  ifThenElse,
  whileDoElse,
  switchNode,
  timeout,
  retry,
  guard,
  cooldown,
  inverter,
  alwaysSucceed,
  alwaysFail,
  repeater,
  delay,
  runOnce,
  action,
  condition,
  script,
  subtreeRef,
  llmCall,
  tool,
  oracle,
  codeSearch,
  vaultSearch,
  call,
  ask,
  wait,
  set,
  unset,
  succeed,
  fail,
] as const

export const NODES: readonly NodeManifest[] = [...CATALOGUE]
