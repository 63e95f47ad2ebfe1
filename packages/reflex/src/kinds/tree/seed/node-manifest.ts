import { causeOf, isFault, type JsonObject } from '../../../kernel/index.ts'
import { schemaName } from '../board/schema-names.ts'
import type { NodeContract } from '../board/contract.ts'
import type { TreeSchema } from '../board/schema.ts'
import { FAILURE, type Next, RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { MANY, type NodeManifest } from '../manifest/manifest.ts'
import { isComplete, isRunning, type RunStatus } from '../model/run-status.ts'
import type { NodeSource } from '../model/source.ts'
import { ANY } from '../nodes/outcomes.ts'
import type { Ticking } from '../tick/ticking.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { BehaviorNode } from './behavior-node.ts'
import type { TickContext } from './tick-context.ts'

/** Gives a node its context while a function runs. */
export type WithContext = <T>(tick: Ticking, node: LaidNode, run: (ctx: TickContext) => T) => T

/** Returns the manifest of a node of the host: its `_tick` is its behaviour. */
export function manifestOf(node: BehaviorNode, type: string, withContext: WithContext): NodeManifest {
  const run = (tick: Ticking, laid: LaidNode): Next =>
    withContext(tick, laid, (ctx) => {
      try {
        // oxlint-disable-next-line no-underscore-dangle -- the seed names the method so
        return answer(tick, laid, ctx, node._tick(ctx))
      } catch (thrown) {
        return tick.fail(laid, isFault(thrown) ? thrown : reasonOf(thrown))
      }
    })
  const { length } = node.children
  return {
    type,
    role: length === 0 ? 'leaf' : length === 1 ? 'decorator' : 'composite',
    children: [length, Math.max(length, length === 0 ? 0 : MANY)],
    parameters: [],
    propagates: 'policy',
    outcomes: () => ANY,
    doc: `The node ${node.id} of the host.`,
    example: '',
    behaviour: {
      enter(tick, laid) {
        node.onReset()
        return run(tick as Ticking, laid as LaidNode)
      },
      resume: (tick, laid) => run(tick as Ticking, laid as LaidNode),
      halt: () => node.onReset(),
    },
  }
}

function answer(tick: Ticking, laid: LaidNode, ctx: TickContext, status: RunStatus): Next {
  if (isRunning(status)) {
    const childrenRun = laid.children.some((child) => tick.outcome(child) === RUNNING)
    // Without an operation that it waits for, only another tick can end it.
    if (!ctx.hasPendingAsync() && !childrenRun) tick.again(laid)
    return RUNNING
  }
  if (!isComplete(status)) return tick.fail(laid, `${laid.id} answered ${JSON.stringify(status) ?? 'nothing'}, which is no status`)
  if (status === 'SUCCESS') return SUCCESS
  return ctx.failureReason === undefined ? FAILURE : tick.fail(laid, ctx.failureReason)
}

function reasonOf(thrown: unknown): string {
  const cause = causeOf(thrown)
  return typeof cause === 'string' ? cause : cause.message
}

/** The parameters of a node of the host: its contract, with schemas by name where they have one. */
export function paramsOf(contract: NodeContract): JsonObject {
  const { inputs, optionalInputs, outputs, inouts, description, onViolation } = contract
  const all = { inputs, optional_inputs: optionalInputs, outputs, inouts }
  const parts = Object.entries(all).filter(([, schemas]) => Object.keys(schemas).length > 0)
  if (parts.length === 0) return {}
  const names = parts.map(([part, schemas]) => [
    part,
    Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, nameOf(schema)])),
  ])
  return {
    contract: { ...(Object.fromEntries(names) as JsonObject), ...(description === '' ? {} : { description }), on_violation: onViolation },
  }
}

function nameOf({ name }: TreeSchema): string {
  return schemaName(name) ?? 'any'
}

/** A node of a tree as a host writes it: one of its own, or one of the catalogue with nodes of both below it. */
export type SeedNode = BehaviorNode | (Omit<NodeSource, 'children'> & { readonly children?: readonly SeedNode[] })
