import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../../src/protocol/catalogue.ts'
import * as door from '../../../../src/kinds/pipeline/index.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../../../docs/kinds/pipeline.md'), 'utf8')

const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<void>

function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)
}

/** The rules of pipelines that pages of the catalogue name; of two names of one rule, the first. */
const rules = [...CATALOGUE]
  .filter(([code]) => code >= 'R1100' && code < 'R1200')
  .flatMap(([code, { rules: names = [] }]) => names.slice(0, 1).map((name) => [name.replace('pipeline ', ''), code] as const))

describe('the page about pipelines', () => {
  test('has pipelines in which nothing is to be mended', () => {
    const files = blocks('dot')
    expect(files).not.toEqual([])
    for (const text of files) {
      const { findings } = door.readPipeline(text, 'release.dot')
      expect(findings.filter(({ severity }) => severity !== 'info').map(String)).toEqual([])
    }
  })

  test('has a finding as it is told', () => {
    const [file = ''] = blocks('dot')
    const { findings } = door.readPipeline(file.replace('outcome=success', 'outcome=sucess'), 'release.dot')
    const dead = findings.find(({ rule }) => rule === 'dead_route')
    expect(blocks('text').map((text) => text.trim())).toContain(String(dead).split('\n')[0])
  })

  test('names every rule that finds something, and no other', () => {
    const [, table = ''] = /## What validate checks\n([\s\S]*?)\n\n`dead_route`/.exec(page) ?? []
    const named = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
    expect(named.toSorted()).toEqual(rules.map(([name]) => name).toSorted())
  })

  test('has programs that do what they say', async () => {
    const printed: unknown[] = []
    const surroundings = { log: (value: unknown) => printed.push(value) }
    for (const program of blocks('ts')) {
      const body = stripTypeScriptTypes(program).replace(/^import (\{.*\}) from 'reflex-runtime\/pipeline'$/m, 'const $1 = door')
      await new AsyncFunction('door', 'console', body)(door, surroundings)
    }
    expect(printed.flat()).toEqual(expect.arrayContaining(['hello Ada', 'audited run', 0]))
  })
})
