import { causeOf } from '../journal/fault.ts'
import { copyJson, equalJson } from '../journal/json.ts'
import type { Permissions } from '../journal/permissions.ts'
import type { Input } from '../journal/record.ts'
import type { Policy } from '../ports/policy.ts'
import type { RunFacts } from '../ports/settings.ts'
import { type Frame, isActivation } from '../state/frame.ts'
import { type CallOwner, isUntrusted } from './live-call.ts'

const ALL: Omit<Permissions, 'facts'> = { trust: '', denied: {}, terms: {}, settings: {} }

/** True for a frame whose permissions are to be worked out before its next step: it has begun, or has become another program. */
export function needsPermits<S extends RunFacts>(frame: Frame, { definitions }: CallOwner<S>): boolean {
  if (frame.permitsPin === frame.pin) return false
  const isNeeded = definitions.kind(definitions.program(frame.pin).kind).needs !== undefined
  // A fold does not know kinds, so this is no state.
  if (!isNeeded) frame.permitsPin = frame.pin
  return isNeeded
}

/** Returns the input that gives a frame its permissions. A frame that has some keeps the facts of the host. */
export function permitsInput<S extends RunFacts>(owner: CallOwner<S>, frame: Frame, policy: Policy<S> | undefined): Input {
  const { definitions, settings, id } = owner
  const { kind: name, def } = definitions.program(frame.pin)
  const kind = definitions.kind(name)
  const needs = kind.needs?.(def) ?? []
  const call = {
    run: id,
    settings,
    frame,
    untrusted: isUntrusted(frame, definitions),
    definition: (pin: number) => definitions.program(pin).def,
  }
  const rights = rightsOf(() => policy?.ahead?.(call, needs) ?? ALL, needs)
  const facts = frame.permissions?.facts ?? { ...kind.facts, origin: id }
  return ['permits', copyJson({ ...rights, facts }, 'permissions')]
}

/** A policy that fails grants nothing. */
function rightsOf(ahead: () => Omit<Permissions, 'facts'>, needs: readonly string[]): Omit<Permissions, 'facts'> {
  try {
    return ahead()
  } catch (thrown) {
    const cause = causeOf(thrown)
    const why = `the policy failed: ${typeof cause === 'string' ? cause : cause.message}`
    return { ...ALL, trust: 'untrusted', denied: Object.fromEntries(needs.map((need) => [need, why])) }
  }
}

/** The inputs for the frames whose permissions have changed: in a fork, or since the process that held the run before. */
export function* changedPermits<S extends RunFacts>(
  owner: CallOwner<S>,
  policy: Policy<S> | undefined,
): Generator<readonly [Frame, Input]> {
  for (const frame of owner.state.frames.values()) {
    const { permissions } = frame
    if (frame.gone || permissions === undefined || !isOwn(frame)) continue
    const input = permitsInput(owner, frame, policy)
    if (!equalJson(input[1], permissions)) yield [frame, input]
  }
}

/** True for a frame that is a program of its own, or a strand that has become another one than its caller. */
function isOwn(frame: Frame): boolean {
  return isActivation(frame) || frame.permissions !== frame.link?.caller.permissions
}
