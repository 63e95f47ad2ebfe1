// proves: dataflow X.4, dataflow R.6, dataflow 36
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { compilePass } from '../../../../src/kinds/dataflow/pass/compile-pass.ts'
import { evaluate } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { purityCases, purityFindings } from '../../../../src/kinds/dataflow/pass/purity.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'
import { contextOf, hostCompute } from './graph.ts'
import { THERMOSTAT } from './worked-examples.ts'

describe('purity', () => {
  it('holds for every built-in primitive', () => {
    for (const primitive of STANDARD) expect([primitive.manifest.id, purityFindings(primitive)]).toEqual([primitive.manifest.id, []])
  })

  it.each<[string, () => Primitive]>([
    [
      'counts its calls',
      () => {
        let calls = 0
        return hostCompute((a) => ({ result: a + calls++ }))
      },
    ],
    [
      'remembers the input before',
      () => {
        let before = 0
        return hostCompute((a) => {
          const result = before
          before = a
          return { result }
        })
      },
    ],
    [
      'remembers the largest input',
      () => {
        let most = 0
        return hostCompute((a) => ({ result: (most = Math.max(most, a)) }))
      },
    ],
    [
      'fails the second time',
      () => {
        let calls = 0
        return hostCompute((a) => {
          if (calls++ > 0) throw new Error('again')
          return { result: a }
        })
      },
    ],
    [
      'takes random numbers',
      () => {
        let seed = 1
        return hostCompute(() => ({ result: (seed = (seed * 48_271) % 2_147_483_647) }))
      },
    ],
    [
      'returns another error each time',
      () => {
        let calls = 0
        return hostCompute(() => ({ error: `E${calls++}` }))
      },
    ],
    [
      'alternates',
      () => {
        let on = false
        return hostCompute((a) => {
          on = !on
          return { result: on ? a : 0 }
        })
      },
    ],
  ])('is missed by a function that %s', (_, make) => {
    const [fault] = purityFindings(make())
    expect(fault?.code).toBe('R1379')
    expect(fault?.message).toMatch(/^compute "custom" is not pure: called again .* for /)
  })

  it('holds for a function that changes its copies and returns errors, NaN or a promise each time', () => {
    for (const run of [() => ({ error: 'E' }), () => ({ result: Number.NaN }), () => Promise.resolve(), (a: number) => ({ result: -a })])
      expect(purityFindings(hostCompute(run))).toEqual([])
    const manifest = {
      kind: 'compute',
      id: 'sorted',
      version: '1.0.0',
      inputs: [
        { name: 'series', type: 'Series' },
        { name: 'also', type: 'Bool', required: false },
      ],
      outputs: [{ name: 'result', type: 'Series' }],
      parameters: [{ name: 'mode', type: 'Enum', values: ['up', 'down'] }],
      execution: { deterministic: true },
      state: { allowed: false },
      side_effects: false,
    } as const
    const sorted = definePrimitive({ ...manifest, kind: 'compute' }, ({ series, also }, { mode }) => {
      const list = (series as number[]).sort((a, b) => (mode === 'up' ? a - b : b - a))
      return { result: also === true ? list.slice(1) : list }
    })
    const cases = purityCases(sorted.manifest)
    expect(purityFindings(sorted, cases)).toEqual([])
    // The cases reach optional inputs, both ways, and every value of a parameter.
    expect(new Set(cases.map(({ inputs }) => inputs['also']))).toEqual(new Set([true, false, undefined]))
    expect(new Set(cases.map(({ parameters }) => parameters?.['mode']))).toEqual(new Set(['up', 'down']))
  })

  it('reports parameters that the manifest refuses', () => {
    const [primitive] = STANDARD
    const findings = primitive === undefined ? [] : purityFindings(primitive, [{ inputs: {}, parameters: { value: 'x' } }])
    expect(findings.map(({ code }) => code)).toEqual(['R1375'])
  })

  it('is not endangered by a pass: no clock, no randomness, no I/O', () => {
    const folder = resolve(import.meta.dirname, '../../../../src/kinds/dataflow')
    const files = globSync('{model,manifests,primitives,pass}/*.ts', { cwd: folder })
    expect(files.length).toBeGreaterThan(30)
    for (const file of files)
      expect([
        file,
        /\bDate\b|performance|Math\.random|setTimeout|from 'node:|process\.\w/.exec(readFileSync(resolve(folder, file), 'utf8'))?.[0],
      ]).toEqual([file, undefined])
    const watched = [vi.spyOn(Date, 'now'), vi.spyOn(Math, 'random'), vi.spyOn(performance, 'now')]
    const pass = compilePass(THERMOSTAT)
    for (let i = 0; i < 200; i++) pass.run(contextOf({ temp: i % 30 }), { graphId: 'g', eventId: `e${i}` })
    evaluate(THERMOSTAT, contextOf({ temp: 18 }), { graphId: 'g', eventId: 'e' })
    for (const spy of watched) expect(spy).not.toHaveBeenCalled()
  })
})
