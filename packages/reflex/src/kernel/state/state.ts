import { digest } from '../journal/digest.ts'
import type { AnswerInput } from '../journal/answer.ts'
import { readCancel } from '../journal/cancellation.ts'
import { outputsOfAnswer, priceGrant, stoppedEffect } from './answers.ts'
import {
  areSameKind,
  PendingEffect,
  Frame,
  isActivation,
  nextTime,
  type StrandResult,
  type Link,
  type MovableWait,
  type Wait,
  waitsForPerson,
} from './frame.ts'
import { faults } from '../journal/faults.ts'
import { isList, isObject, type Json } from '../journal/json.ts'
import { Meter, usageOfInput } from './meter.ts'
import { entersNode, oldAsker } from '../journal/old-words.ts'
import type { Permissions } from '../journal/permissions.ts'
import { Queue } from './queue.ts'
import type { CallRequest, EndStatus, Input, Outputs, Pin, Rec, Ref, SpawnRequest, Start } from '../journal/record.ts'
import { labelOf, Scope } from './scope.ts'
import { amountOf, type CallLimits, type Limits, pickLimits, soundCallLimits, soundUsage, type StatedUsage } from '../journal/usage.ts'

/** The end of a run. */
export interface RunOutcome {
  readonly status: EndStatus
  readonly value: Json | undefined
}

/**
 * The origin of a run: the run in which its program was started first, which a fork and an import under another name keep, and for a fork a mark
 * that no other run has.
 */
export interface RunOrigin {
  readonly run: string
  readonly fork?: string
}

/** Returns the origin of a run. A fork has the seed of its own, of which the mark is a digest. */
export function originOf({ start, seed }: Pick<State, 'start' | 'seed'>): RunOrigin {
  const run = start?.origin ?? start?.run ?? ''
  return { run, ...(start === undefined || seed === start.seed ? {} : { fork: digest(seed).slice(0, 16) }) }
}

/**
 * Returns what the operator has stated for a called program of a run, by its pin: arguments that no program can write. Undefined if there is
 * nothing, as for the root, which has its own arguments.
 */
export function hostOf({ start, pins }: Pick<State, 'start' | 'pins'>, pin: number): Json | undefined {
  const name = pins[pin]?.[0]
  return name === undefined || start?.hosts === undefined || !Object.hasOwn(start.hosts, name) ? undefined : start.hosts[name]
}

/** The answer about a grant, and the number of its record; 0 if a snapshot of an earlier release does not state it. */
interface Decision {
  readonly isAllowed: boolean
  readonly record: number
}

/**
 * The state of a run: the fold of its records, so live, resumed and replayed runs have equal states (architecture, invariant
 * 2). Only `apply` changes it.
 */
export class State {
  /** The number of the last applied record; the first is 1. */
  n = 0
  time = 0
  start: Start | undefined
  ended: RunOutcome | undefined
  /** The seed of all random numbers; a fork has its own from its first own record on. */
  seed = ''
  /** True for a fork that was not resumed yet: it performs nothing. */
  isIdle = false
  /** The last record that sealed a segment; 0 before the first one. */
  sealed = 0
  /** The number of questions that the run has asked. */
  questions = 0
  /** The usage and the limits of the run. */
  readonly meter = new Meter()
  /** The frames at which a person has stopped the run. */
  readonly stoppedAt = new Set<Frame>()
  /** The number of uses of each grant that is limited by uses. */
  readonly uses = new Map<string, number>()
  /** True once a call or a strand has limits of its own. */
  hasCallLimits = false
  /** The answers about grants, by place and grant. */
  readonly decisions = new Map<string, Map<string, Decision>>()
  readonly pins: Pin[] = []
  readonly frames = new Map<Ref, Frame>()
  readonly waits = new Map<Ref, Wait>()
  /** The last input from the queue, with the value that its record leaves out. */
  dequeued: Input | undefined
  readonly queue = new Queue()
  /** Effects that the last records dropped; the live run takes them from here to abort them. */
  readonly droppedEffects: PendingEffect[] = []

  /** True if the records of this run state askers and usage: from format 3 on. */
  get isCurrentFormat(): boolean {
    return (this.start?.v ?? 0) >= 3
  }

  /**
   * True while the run waits for people and does nothing else: an effect that waits for a question, or for another effect that waits
   * for one, is not in progress.
   */
  get waitsForPeople(): boolean {
    if (this.waits.size === 0) return false
    let isAsked = false
    for (const { type } of this.waits.values()) if (type !== 'timer') isAsked = true
    if (!isAsked) return false
    for (const effect of this.pendingEffects()) if (!waitsForPerson(effect)) return false
    return true
  }

  get root(): Frame {
    return this.frame(0)
  }

  frame(id: Ref): Frame {
    const frame = this.frames.get(id)
    if (frame === undefined) throw corruptFault(this, `there is no frame ${id}`)
    return frame
  }

  /** Returns an effect in flight by its ref. */
  effect(id: Ref): PendingEffect | undefined {
    for (const frame of this.frames.values()) for (const effect of frame.pendingEffects) if (effect.id === id) return effect
    return undefined
  }

  *pendingEffects(): Generator<PendingEffect> {
    for (const frame of this.frames.values()) yield* frame.pendingEffects
  }

  /** Applies one record. Throws `R5003` without further changes if it cannot follow the records before it. */
  apply(rec: Rec): void {
    this.n++
    if (rec.elapsed > 0) this.#pass(rec)
    if (rec.more?.start !== undefined) return this.#begin(rec.more.start)
    const frame = this.frame(rec.frame)
    this.#consume(frame, rec.input, rec.more)
    const label = labelOf(frame.position)
    const { writes, requests, more } = rec
    if (writes !== undefined) this.#write(frame.scope, writes, label, more?.from)
    if (rec.step === true) this.#countStep(frame)
    else if (rec.position !== undefined && !this.isCurrentFormat && entersNode(rec.position, frame.position)) this.#countStep(frame)
    if (rec.position !== undefined) frame.position = rec.position
    if (requests !== undefined) this.#request(frame, requests)
    if (more !== undefined) this.#applyMore(frame, more, label)
    if (this.meter.importEnds?.has(this.n) === true) this.meter.lower()
  }

  #countStep(frame: Frame): void {
    this.meter.countStep(frame)
    frame.grants = undefined
  }

  /** Advances the time. It counts on the meter unless the run waits for people or is an idle fork. */
  #pass({ elapsed, input }: Rec): void {
    this.time += elapsed
    if (!this.isIdle && !isFork(input) && !this.waitsForPeople) this.meter.time += elapsed
  }

  #begin(start: Start): void {
    this.start = start
    this.meter.begin(start.by)
    this.seed = start.seed
    this.time = start.at
    this.pins.push(...start.pins)
    const root = new Frame(0, 0, start.args, undefined, this.frames.get(0)?.scope)
    this.frames.set(0, root)
    this.queue.push(root, undefined)
  }

  #write(scope: Scope, writes: readonly Json[], label: Json | undefined, from?: Outputs['from'], id?: Ref): void {
    for (let i = 0; i < writes.length; i += 2) {
      const key = writes[i] as string
      const origin = from?.findLast((one) => one[0] === key && one[2] === id)
      scope.append(key, writes[i + 1], this.n, this.time, origin === undefined ? label : origin[1])
    }
  }

  #request(frame: Frame, requests: NonNullable<Rec['requests']>): void {
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]
      if (request !== undefined) frame.pendingEffects.push(new PendingEffect(i === 0 ? this.n : `${this.n}.${i}`, frame, request, this.n))
    }
  }

  /** Removes the input from the place where it waited. */
  #consume(frame: Frame, input: Input | undefined, more: Outputs | undefined): void {
    switch (input?.[0]) {
      case undefined:
      case 'ret':
      case 'end':
        this.#dequeue(frame, input)
        break
      case 'cancel':
        this.#dequeue(frame, input)
        // The frame has called another one since its cancellation was queued: the callee is cancelled first, and the frame
        // after the callee has left.
        if (frame.callee !== undefined) this.#cancel(frame.callee, frame.cancelReason ?? 'cancelled')
        else frame.notified = true
        break
      case 'ok':
      case 'err':
        this.#settle(frame, input[1])
        if (input.length > 3 || !this.isCurrentFormat) this.#use(frame, usageOfInput(input, this.isCurrentFormat))
        break
      case 'part':
        this.#pendingEffectOf(frame, input[1]).hasParts = true
        break
      case 'again':
        this.#restart(this.#pendingEffectOf(frame, input[1]))
        this.#use(frame, usageOfInput(input, this.isCurrentFormat))
        break
      case 'later':
        this.#pendingEffectOf(frame, input[1]).postpone(input[2])
        break
      case 'unknown':
        this.#pendingEffectOf(frame, input[1]).isQuestioned = true
        break
      case 'pause':
        this.#pause(frame, input[1], input[4])
        break
      case 'hold':
        this.#pause(frame, input[1], oldGrants(input[3]))
        break
      case 'use':
        for (const [grant, times] of Object.entries(input[2])) {
          this.#useGrant(grant, times)
          ;(frame.grants ??= new Map()).set(grant, this.n)
        }
        break
      case 'permits':
        this.#permit(frame, input[1] as unknown as Permissions)
        break
      case 'answer':
        this.#answer(frame, input, more)
        break
      case 'message':
      case 'messages':
        this.#meet(frame, input[1], more)
        break
      case 'timer':
        this.#fire(frame, input[1], more)
        break
      case 'host':
        break
      case 'kernel':
        this.#command(frame, input[1], input[2])
        break
    }
  }

  #use(frame: Frame, stated: StatedUsage | undefined): void {
    const used = stated === undefined ? undefined : soundUsage(stated)
    if (used !== undefined) this.meter.add(frame, used)
  }

  #pause(frame: Frame, id: Ref, grants: readonly string[] | undefined): void {
    const effect = this.#pendingEffectOf(frame, id)
    effect.isQuestioned = true
    effect.askedGrants = grants
  }

  /** An answer about an effect that is not performed yet stops it, or lets it be checked again. Formats below 3 do not state what it does. */
  #answer(frame: Frame, [, id, answer, by]: AnswerInput, more: Outputs | undefined): void {
    const wait = this.waits.get(id)
    const effect = wait?.effect === undefined ? undefined : frame.pendingEffects.find((candidate) => candidate.id === wait.effect)
    if (wait !== undefined && effect !== undefined && wait.asker !== 'outcome') {
      const { askedGrants: grants } = effect
      const old = this.isCurrentFormat ? undefined : outputsOfAnswer({ asker: wait.asker, grants, place: '' }, answer, this.meter)
      if (old !== undefined) this.#applyAnswer(old)
      if ((more?.stop ?? old?.stop) !== undefined) effect.stopped = stoppedEffect(grants, by)
      effect.askedGrants = undefined
      if (wait.asker === 'program') effect.answers = [...(effect.answers ?? []), { about: wait.about ?? null, answer }]
    }
    // A person has said that it did not happen: it begins again, and asks again.
    if (wait?.asker === 'outcome' && effect !== undefined) effect.answers = undefined
    this.#meet(frame, id, more)
  }

  #applyAnswer({ raise, decided = [] }: Pick<Outputs, 'raise' | 'decided'>): void {
    if (raise !== undefined) this.#raise(raise)
    for (const [grant, place, allowed] of decided) this.decide(place, grant, allowed)
  }

  /** Stores the answer about a grant at a place. */
  decide(place: string, grant: string, isAllowed: boolean, record = this.n): void {
    const grants = this.decisions.get(place) ?? new Map<string, Decision>()
    this.decisions.set(place, grants.set(grant, { isAllowed, record }))
  }

  /** Returns the answer about a grant at a place; undefined before there is one, and for an answer that is not after the given record. */
  decided(place: string, grant: string, after = -1): boolean | undefined {
    const found = this.decisions.get(place)?.get(grant)
    return found !== undefined && found.record > after ? found.isAllowed : undefined
  }

  #useGrant(grant: string, times: unknown): void {
    this.uses.set(grant, (this.uses.get(grant) ?? 0) + amountOf(times))
  }

  /** The permissions of a program, and of the strands in which it runs. */
  #permit(frame: Frame, permissions: Permissions): void {
    const before = frame.permissions
    frame.permissions = permissions
    frame.permitsPin = frame.pin
    for (const strand of frame.strands?.values() ?? [])
      if (before !== undefined && strand.permissions === before) this.#permit(strand, permissions)
  }

  #raise(limits: Limits | undefined): void {
    if (limits !== undefined) this.meter.limits = { ...this.meter.limits, ...pickLimits((limit) => limits[limit]) }
  }

  /** Applies a command of the kernel to a run. */
  #command(frame: Frame, what: string, detail: Json | undefined): void {
    if (what === 'cancel') this.#cancel(frame, readCancel(detail).reason)
    else if (what === 'resume') this.isIdle = false
    else if (what === 'seal') this.sealed = this.n
    else if (what === 'skipped') this.#skip(detail)
    else if (what === 'fork') {
      this.isIdle = true
      this.meter.fork()
      if (isObject(detail) && typeof detail.seed === 'string') this.seed = detail.seed
    }
  }

  /** Steps on timers that left no record: the timers are due later. */
  #skip(detail: Json | undefined): void {
    for (const item of isList(detail) ? detail : []) {
      const [id, due] = isList(item) ? item : []
      const wait = typeof id === 'string' ? this.waits.get(id) : undefined
      const movable: MovableWait | undefined = wait?.rules?.every === undefined ? undefined : wait
      if (movable !== undefined && typeof due === 'number') movable.due = due
    }
  }

  #dequeue(frame: Frame, input: Input | undefined): void {
    const next = this.queue.take()
    this.dequeued = next?.input
    if (next === undefined || next.frame !== frame || next.input?.[0] !== input?.[0]) {
      throw corruptFault(this, `frame ${frame.id} takes ${input?.[0] ?? 'go'}, which is not what comes next`)
    }
  }

  #pendingEffectOf(frame: Frame, id: Ref): PendingEffect {
    const effect = frame.pendingEffects.find((candidate) => candidate.id === id)
    if (effect === undefined) throw corruptFault(this, `frame ${frame.id} has no effect ${id} in flight`)
    return effect
  }

  /** Resets an effect that is performed from its start again: earlier progress does not count. */
  #restart(effect: PendingEffect): void {
    effect.hasParts = false
    effect.begin()
  }

  #settle(frame: Frame, id: Ref): void {
    const { pendingEffects } = frame
    // Not `length = 0`: that would free the list's memory, and the next step would allocate it again.
    if (pendingEffects.length === 1 && pendingEffects[0]?.id === id) pendingEffects.pop()
    else pendingEffects.splice(pendingEffects.indexOf(this.#pendingEffectOf(frame, id)), 1)
  }

  #waitOf(frame: Frame, id: Ref): Wait {
    const wait = this.waits.get(id)
    if (wait === undefined || wait.frame !== frame) throw corruptFault(this, `frame ${frame.id} has no wait ${id} open`)
    return wait
  }

  /** The time of a wait has come: it closes, or is due again. */
  #fire(frame: Frame, id: Ref, more: Outputs | undefined): void {
    const wait = this.#waitOf(frame, id)
    const { due = this.time, rules } = wait
    const movable: MovableWait = wait
    if (rules?.every === undefined) this.#close(frame, wait, more)
    else movable.due = nextTime(due, rules.every, this.time)
  }

  #meet(frame: Frame, id: Ref, more: Outputs | undefined): void {
    const wait = this.#waitOf(frame, id)
    if (wait.rules?.stays !== true) this.#close(frame, wait, more)
  }

  /** Closes a wait. If it was about an effect, the effect settles or is performed again. */
  #close(frame: Frame, wait: Wait, more: Outputs | undefined): void {
    this.#closeWait(wait)
    if (wait.effect === undefined) return
    if (more?.repeat !== undefined) this.#pendingEffectOf(frame, wait.effect).isQuestioned = false
    else this.#settle(frame, wait.effect)
  }

  #closeWait(wait: Wait): void {
    this.waits.delete(wait.id)
    const { frame } = wait
    frame.waits = frame.waits?.filter((other) => other !== wait)
  }

  #applyMore(frame: Frame, more: Outputs, label: Json | undefined): void {
    if (more.patch !== undefined) frame.position = patchPosition(frame.position, more.patch, this)
    if (more.pin !== undefined) this.pins.push(...more.pin)
    if (more.become !== undefined) frame.pin = more.become
    if (more.tombstones !== undefined) for (const key of more.tombstones) frame.scope.append(key, undefined, this.n, this.time, label)
    if (more.root !== undefined) this.#write(outermostFrame(frame).scope, more.root, label)
    this.#applyScopes(frame, more, label)
    if (more.adopt !== undefined) for (const id of more.adopt) this.#adopt(frame, id, label)
    if (more.drop !== undefined) for (const id of more.drop) this.#drop(frame, id)
    if (more.used !== undefined || more.use !== undefined) this.#applyMeter(frame, more)
    if (more.raise !== undefined || more.decided !== undefined) this.#applyAnswer(more)
    if (more.stop !== undefined) this.stoppedAt.add(frame)
    if (more.wait !== undefined) this.#wait(frame, more.wait, more.asks)
    if (more.call !== undefined) this.#call(frame, more.call)
    if (more.spawn !== undefined) this.#spawn(frame, more.spawn)
    if (more.kill !== undefined) for (const id of more.kill) this.#kill(frame, id)
    if (more.unwind !== undefined && frame.callee !== undefined) this.#cancel(frame.callee, 'unwound')
    if (more.return !== undefined) this.#return(frame, more.return[0], more.return[1])
    else if (more.go !== undefined) this.queue.push(frame, undefined)
  }

  #applyMeter(frame: Frame, { used, use = {} }: Outputs): void {
    if (used !== undefined) this.#use(frame, used)
    for (const [grant, times] of Object.entries(use)) this.#useGrant(grant, times)
  }

  #applyScopes(frame: Frame, more: Outputs, label: Json | undefined): void {
    more.open?.forEach((under, i) => {
      frame.subs ??= new Map()
      frame.subs.set(makeRef(this.n, 'o', i), { scope: new Scope(), under })
    })
    const inner = (id: Ref): Scope => {
      const sub = frame.subs?.get(id)
      if (sub === undefined) throw corruptFault(this, `frame ${frame.id} has no inner scope ${id}`)
      return sub.scope
    }
    for (const [id, keys] of more.gone ?? []) for (const key of keys) inner(id).append(key, undefined, this.n, this.time, label)
    for (const [id, writes] of more.sub ?? []) this.#write(inner(id), writes, label, more.from, id)
    if (more.shut !== undefined) for (const id of more.shut) frame.subs?.delete(id)
  }

  #adopt(frame: Frame, id: Ref, label: Json | undefined): void {
    const strand = frame.strandResults?.get(id)
    if (strand === undefined) throw corruptFault(this, `frame ${frame.id} has no strand ${id}`)
    for (const [key, entry] of strand.scope.liveEntries()) frame.scope.append(key, entry.value, this.n, this.time, label)
    frame.strandResults?.delete(id)
  }

  #drop(frame: Frame, id: Ref): void {
    const wait = this.waits.get(id)
    if (wait?.frame === frame) return this.#closeWait(wait)
    const at = frame.pendingEffects.findIndex((effect) => effect.id === id)
    if (at >= 0) {
      this.droppedEffects.push(...frame.pendingEffects.splice(at, 1))
      const question = frame.waits?.find((open) => open.effect === id)
      if (question !== undefined) this.#closeWait(question)
    } else if (frame.strandResults?.get(id)?.status !== 'running') frame.strandResults?.delete(id)
  }

  #wait(frame: Frame, requests: NonNullable<Outputs['wait']>, effect: Ref | undefined): void {
    requests.forEach(([type, title, due, about, asker, rules], i) => {
      const wait: Wait = {
        id: makeRef(this.n, 'w', i),
        frame,
        type,
        name: title,
        due: due ?? undefined,
        about: about ?? undefined,
        record: this.n,
        since: this.time,
        number: type === 'answer' ? ++this.questions : 0,
        effect,
        asker: this.isCurrentFormat ? (asker ?? 'program') : oldAsker(title, effect),
        rules,
      }
      this.waits.set(wait.id, wait)
      frame.waits = [...(frame.waits ?? []), wait]
    })
  }

  #call(frame: Frame, call: CallRequest): void {
    const link: Link = {
      caller: frame,
      role: 'call',
      isSameKind: areSameKind(this.pins, frame.pin, call.pin),
      sees: call.isolated ? 'nothing' : 'live',
      record: this.n,
      under: null,
      map: call.map ?? [],
    }
    const callee = new Frame(makeRef(this.n, 'f', 0), call.pin, call.args, link)
    callee.began = this.meter.time
    if (call.limits !== undefined) this.limit(callee, call.limits)
    frame.callee = callee
    this.frames.set(callee.id, callee)
    this.queue.push(callee, undefined)
  }

  /** Gives a frame the limits of its caller. */
  limit(frame: Frame, limits: CallLimits): void {
    frame.limits = soundCallLimits(limits)
    if (frame.limits !== undefined) this.hasCallLimits = true
  }

  #spawn(frame: Frame, requests: readonly SpawnRequest[]): void {
    frame.strandResults ??= new Map()
    frame.strands ??= new Map()
    for (const [i, request] of requests.entries()) {
      const link: Link = {
        caller: frame,
        role: 'strand',
        isSameKind: areSameKind(this.pins, frame.pin, request.pin),
        sees: request.sees ?? 'past',
        record: this.n,
        under: request.under ?? null,
        map: [],
      }
      const base = new Frame(makeRef(this.n, 's', i), request.pin, request.args, link)
      base.began = this.meter.time
      if (request.limits !== undefined) this.limit(base, request.limits)
      if (!isActivation(base) && request.pin === frame.pin) {
        base.permissions = frame.permissions
        base.permitsPin = frame.permitsPin
      }
      const strand: StrandResult = { id: base.id, pin: request.pin, status: 'running', scope: base.scope, value: undefined }
      frame.strandResults.set(base.id, strand)
      frame.strands.set(base.id, base)
      this.frames.set(base.id, base)
      this.queue.push(base, undefined)
    }
  }

  #kill(frame: Frame, id: Ref): void {
    const base = frame.strands?.get(id)
    if (base !== undefined) this.#cancel(base, 'killed')
  }

  /** Cancels a stack from its top: a frame is notified after all frames above it have left. */
  #cancel(frame: Frame, reason: string): void {
    for (let at: Frame | undefined = frame; at !== undefined && at.cancelReason === undefined; at = at.callee) {
      at.cancelReason = reason
      if (at.callee === undefined) this.queue.push(at, ['cancel', reason])
    }
  }

  #return(frame: Frame, status: EndStatus, value: Json | undefined): void {
    this.meter.giveToCaller(frame)
    this.#remove(frame)
    for (const stopped of this.stoppedAt) {
      if (!stopped.gone) continue
      this.stoppedAt.delete(stopped)
      const caller = callerOfSameKind(stopped)
      if (caller !== undefined) this.stoppedAt.add(caller)
    }
    const { link } = frame
    if (link === undefined) {
      this.ended = { status, value }
      this.frames.set(0, frame)
    } else if (link.role === 'call') {
      link.caller.callee = undefined
      if (status === 'done') this.#copyReturns(frame, link)
      const { caller } = link
      const pendingCancel = caller.notified ? undefined : caller.cancelReason
      if (pendingCancel !== undefined) this.queue.push(caller, ['cancel', pendingCancel])
      else this.queue.push(caller, value === undefined ? ['ret', frame.id, status] : ['ret', frame.id, status, value])
    } else {
      const strand = link.caller.strandResults?.get(frame.id)
      if (strand !== undefined) {
        strand.status = status
        strand.value = value
      }
      link.caller.strands?.delete(frame.id)
      this.queue.push(link.caller, value === undefined ? ['end', frame.id, status] : ['end', frame.id, status, value])
    }
  }

  /** Applies the return map: copies the callee's own values in order; values that it never wrote are skipped. */
  #copyReturns(frame: Frame, link: Link): void {
    for (const [parentKey, childKey] of link.map) {
      const place = frame.scope.find(childKey, Number.POSITIVE_INFINITY)
      const value = place < 0 ? undefined : frame.scope.valueAt(place)
      if (value !== undefined) link.caller.scope.append(parentKey, value, this.n, this.time, labelOf(link.caller.position))
    }
  }

  /** Removes a frame with its effects, waits, strands and callees. */
  #remove(frame: Frame): void {
    frame.gone = true
    if (frame.pendingEffects.length > 0) this.droppedEffects.push(...frame.pendingEffects.splice(0))
    for (const wait of frame.waits ?? []) this.waits.delete(wait.id)
    frame.waits = undefined
    this.frames.delete(frame.id)
    if (frame.callee !== undefined) this.#remove(frame.callee)
    for (const base of frame.strands?.values() ?? []) this.#remove(base)
  }
}

/** Returns the ref of something that record `n` created. The first of each is only the number and its letter. */
export function makeRef(n: number, letter: string, index: number): string {
  return index === 0 ? `${n}${letter}` : `${n}${letter}${index}`
}

function callerOfSameKind({ link }: Frame): Frame | undefined {
  return link?.isSameKind === true ? link.caller : undefined
}

function patchPosition(position: Json | undefined, patch: NonNullable<Outputs['patch']>, state: State): Json {
  if (isList(patch)) return patchItems(position, patch, state)
  const next: Record<string, Json> = isObject(position) ? { ...position } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete next[key]
    else next[key] = value
  }
  return next
}

function patchItems(position: Json | undefined, patch: readonly Json[], state: State): Json {
  if (!isList(position)) throw corruptFault(state, 'it changes items of a position that is not a list')
  const items = [...position]
  for (let i = 0; i < patch.length; i += 2) {
    const [index, value = null] = [patch[i] as number, patch[i + 1]]
    if (index > items.length) throw corruptFault(state, `its position has no item ${index}`)
    items[index] = value
  }
  return items
}

/** Formats below 3 name the model in the question. */
function oldGrants(about: Json): readonly string[] | undefined {
  return isObject(about) && typeof about.model === 'string' ? [priceGrant(about.model)] : undefined
}

function isFork(input: Input | undefined): boolean {
  return input?.[0] === 'kernel' && input[1] === 'fork'
}

function outermostFrame(frame: Frame): Frame {
  let at = frame
  while (at.outer !== undefined) at = at.outer
  return at
}

function corruptFault(state: State, message: string): Error {
  return faults.make('R5003', `record ${state.n} cannot follow the records before it: ${message}`, {
    ...(state.start === undefined ? {} : { run: state.start.run }),
    data: { record: state.n },
  })
}
