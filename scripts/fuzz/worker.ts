import { parentPort, workerData } from 'node:worker_threads'
import { Dice } from '../faults/dice.ts'
import { Door } from './door.ts'
import { mutant } from './mutate.ts'
import type { Subject } from './subject.ts'
import { subjects } from './subjects.ts'

/** What a worker is told: its part of the programs, and where it says which one it has in hand. */
export interface Part {
  readonly seed: number
  readonly first: number
  readonly end: number
  readonly step: number
  readonly folder: string
  readonly only: string | undefined
  /** The number of the program in hand. */
  readonly hand: Int32Array
}

/** A program that must not do what it does. */
export interface Crash {
  readonly number: number
  readonly subject: string
  readonly what: string
}

/** The subject and the text of a program: the same for the same seed and number, in whatever worker. */
export function programOf(all: readonly Subject[], seed: number, number: number): { subject: Subject; text: string } {
  const dice = new Dice(Math.imul(seed, 0x9e3779b1) ^ number)
  const [first, ...others] = all
  if (first === undefined) throw new Error('there is nothing to fuzz')
  const subject = dice.pick([first, ...others])
  return { subject, text: mutant(subject.seeds, dice) }
}

/** The subjects, or the one of a name. */
export function subjectsNamed(only: string | undefined): readonly Subject[] {
  return subjects().filter(({ name }) => only === undefined || name === only)
}

async function work({ seed, first, end, step, folder, only, hand }: Part): Promise<void> {
  const all = subjectsNamed(only)
  const door = new Door(folder)
  for (let number = first; number < end; number += step) {
    Atomics.store(hand, 0, number)
    const { subject, text } = programOf(all, seed, number)
    try {
      await subject.try(text, door)
    } catch (thrown) {
      const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker of Node knows none
      parentPort?.postMessage({ number, subject: subject.name, what } satisfies Crash)
    }
  }
  Atomics.store(hand, 0, end)
  await door.close()
}

if (parentPort !== null) await work(workerData as Part)
