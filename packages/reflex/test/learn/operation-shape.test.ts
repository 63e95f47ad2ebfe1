// proves: skill 154
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { commandWords } from '../../src/learn/shapes/command-words.ts'
import { houseTools, operationShape } from '../../src/learn/shapes/operation-shape.ts'
import { toolFacts } from './logged.ts'

const line = (cmd: Json): string => operationShape('term.exec', { cmd }, toolFacts('term.exec'))

describe('the shape of a call', () => {
  it('tells three commands of one tool apart, and not the values of their flags', () => {
    const set = line('az webapp config container set --name pay --image acr.io/pay:1')
    expect(set).toBe('term.exec:az webapp config container set{--image,--name}')
    expect(line('az webapp config container set --image acr.io/web:2 --name "web app"')).toBe(set)
    expect(line('az webapp restart --name pay')).toBe('term.exec:az webapp restart{--name}')
    expect(line('curl -sSf https://pay.azurewebsites.net/healthz')).toBe('term.exec:curl{-sSf}')
  })

  it.each([
    [['git', 'commit', '-m', 'a b'], 'term.exec:git commit{-m}'],
    ['FOO=1 npm run build --if-present=true', 'term.exec:FOO= npm run build{--if-present}'],
    ['cd a && npm test | tail -5', 'term.exec:cd a && npm test | tail'],
    ["sh -c 'a && b'", 'term.exec:sh{-c}'],
    ['rm -- -x', 'term.exec:rm'],
    ["open 'quote", 'term.exec:?'],
    ['', 'term.exec:?'],
    [7, 'term.exec:?'],
  ])('of %j is %s', (cmd, shape) => expect(line(cmd as Json)).toBe(shape))

  it('of named arguments is their names and types, with the values of declared enums', () => {
    const args = { mode: 'fast', path: 'a', count: 2, tags: [], more: {}, none: null, on: true, key: { $redacted: '0a1b' } }
    expect(operationShape('fs.read', args, { enums: { mode: ['fast', 'slow'] } })).toBe(
      'fs.read:(count:number,key:string,mode=fast,more:object,none:null,on:boolean,path:string,tags:list)',
    )
    expect(operationShape('fs.read', null)).toBe('fs.read:()')
    expect(operationShape('command', { argv: ['ls', '-l'], cwd: '.' }, houseTools('command'))).toBe('command:ls{-l}(cwd:string)')
    expect(operationShape('t', { ['x'.repeat(9_000)]: 1 }).length).toBeLessThan(600)
  })

  it('reads quotes and backslashes as a shell does, and expands nothing', () => {
    expect(commandWords(String.raw`a 'b c' "d \"e\" $f" g\ h ''`)).toEqual([
      { text: 'a' },
      { text: 'b c' },
      { text: 'd "e" $f', isExpanded: true },
      { text: 'g h' },
      { text: '' },
    ])
    expect([commandWords('a "b'), commandWords("a 'b"), commandWords('a\\')]).toEqual([undefined, undefined, undefined])
    expect(commandWords('x'.repeat(70_000))).toBeUndefined()
  })
})
