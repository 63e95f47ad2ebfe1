import { digestFraction, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { parseJson } from '../../language/parse-json.ts'

/** One sample of a data set (reference pipeline 4.7, eval_dataset). */
export interface Sample {
  readonly id: string
  readonly input: Json
  readonly expected: Json
  readonly metadata: JsonObject
}

/** The samples of a text, and the numbers of its invalid lines, from 1. */
export interface SamplesResult {
  readonly samples: readonly Sample[]
  readonly badLines: readonly number[]
}

/** Reads JSON Lines: one object with an `input` per line. Empty lines are ignored. */
export function readSamples(text: string): SamplesResult {
  const samples: Sample[] = []
  const badLines: number[] = []
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const sample = sampleIn(parseJson(line), samples.length + 1)
    if (sample === undefined) badLines.push(i + 1)
    else samples.push(sample)
  }
  return { samples, badLines }
}

/** Returns a sample from JSON in a file or in the context; undefined for a value without an input. */
export function sampleIn(value: Json | undefined, number: number): Sample | undefined {
  if (!isObject(value) || value['input'] === undefined) return undefined
  const { id, input, expected = null, metadata } = value
  return { id: renderText(id) || `sample_${number}`, input, expected, metadata: isObject(metadata) ? metadata : {} }
}

/** Returns values in another order, which is the same for the same seed on every machine. */
export function shuffled<Value>(values: readonly Value[], seed: string): Value[] {
  return values
    .map((value, i) => ({ value, draw: digestFraction(`${seed}:${i}`) }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ value }) => value)
}
