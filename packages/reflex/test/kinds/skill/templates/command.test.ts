// proves: skill 26, skill 27, skill 28, skill 29, skill 30
import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { command, valuesOf } from './templates.ts'

const METACHARACTERS = [
  ';',
  '&',
  '|',
  '$(id)',
  '`id`',
  '\n',
  '>',
  '<',
  '*',
  '?',
  '~',
  '!',
  "'",
  '"',
  '\\',
  '{a,b}',
  '[a]',
  '#',
  '$HOME',
  '%PATH%',
  '&& rm -rf /',
  ' ',
  '\t',
]

describe('a command', () => {
  it('is split as a shell would, once, before any value is known', () => {
    expect(command('az --name {{label}} \'a "b" c\' "d \'e\' \\"f\\"" g\\ h \'\' i"j"k', valuesOf({ label: 'x' }))).toEqual([
      'az',
      '--name',
      'x',
      'a "b" c',
      'd \'e\' "f"',
      'g h',
      '',
      'ijk',
    ])
    expect(command(['git', 'tag', '--', '{{s}}'], valuesOf({ s: '-d x' }))).toEqual(['git', 'tag', '--', '-d x'])
    expect(command('a \\{{ b "\\{{"')).toEqual(['a', '{{', 'b', '{{'])
  })

  it.each(METACHARACTERS)('has a value as one argument, byte for byte: %j', (character) => {
    for (const value of [character, `a${character}b`, `x ${character} touch f`]) {
      const list = command('run --name {{s}} "in {{s}} quotes" {{s}}.txt', valuesOf({ s: value }))
      expect(list).toEqual(['run', '--name', value, `in ${value} quotes`, `${value}.txt`])
    }
  })

  it('is the same list for any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (s) => {
        const list = command('run -- {{s}} --x={{s}} y', valuesOf({ s }))
        expect(list).toEqual(s.includes('\0') ? 'arg_unencodable' : ['run', '--', s, `--x=${s}`, 'y'])
      }),
      { numRuns: 200, seed: 5 },
    )
  })

  it('refuses a value that no process can get', () => {
    for (const s of ['a\0b', '\ud800']) expect(command('run {{s}}', valuesOf({ s }))).toBe('arg_unencodable')
  })

  it.each([
    'a | b',
    'a & b',
    'a; b',
    'a > f',
    'a < f',
    'a (b)',
    'a $B',
    'a `b`',
    'a *.txt',
    'a b?',
    'a [b]',
    'a ~/b',
    'a {b,c}',
    'a\nb',
    'A=b c',
    'a "$B"',
    'a #b',
    '\n',
  ])('refuses the syntax of a shell: %j', (text) => {
    const result = command(text)
    expect(Array.isArray(result) && (result as unknown[]).includes('E_SHELL_OPERATORS')).toBe(true)
  })

  it.each<[string, string]>([
    ['{{s}} x', 'E_DYNAMIC_COMMAND'],
    ['/bin/{{s}} x', 'E_DYNAMIC_COMMAND'],
    ['"" x', 'E_DYNAMIC_COMMAND'],
    ['sudo {{s}} x', 'E_DYNAMIC_COMMAND'],
    ['env A=1 timeout 5 {{s}}', 'E_DYNAMIC_COMMAND'],
    ['run -{{s}}', 'E_DYNAMIC_OPTION'],
    ['run --{{s}}=1', 'E_DYNAMIC_OPTION'],
    ['run --with-{{s}}', 'E_DYNAMIC_OPTION'],
    ['deploy.cmd x', 'E_COMMAND'],
    ['run "x', 'E_COMMAND'],
    ['run x\\', 'E_COMMAND'],
    ['', 'E_COMMAND'],
    ['bash -lc "echo {{s}}"', 'E_NESTED_SHELL'],
    ['sudo -u x /bin/sh -c {{s}}', 'E_NESTED_SHELL'],
    ["python3 -c 'print({{n}})'", 'E_NESTED_SHELL'],
    ['node --eval={{s}}', 'E_NESTED_SHELL'],
    ['ssh host ls {{s}}', 'E_NESTED_SHELL'],
    ['curl https://{{free}}/', 'E_URL_AUTHORITY'],
    ['curl -H "Authorization: {{secret}}"', 'E_SECRET_TEXT'],
  ])('is refused when it is read: %s', (text, rule) => {
    expect(command(text)).toEqual([rule])
  })

  it('passes a value behind the script of a nested shell', () => {
    expect(command('sh -c \'echo "$1"\' x -- {{s}}', valuesOf({ s: '$(id)' }))).toEqual(['sh', '-c', 'echo "$1"', 'x', '--', '$(id)'])
  })

  it('can give a value to an option of a program that runs another', () => {
    expect(command('sudo -u {{label}} id', valuesOf({ label: 'web' }))).toEqual(['sudo', '-u', 'web', 'id'])
  })

  it('refuses a value that would be read as an option', () => {
    for (const text of ['run {{s}}', 'run "{{s}}"', 'run {{s}}x'])
      expect(command(text, valuesOf({ s: '-rf' }))).toBe('arg_option_injection')
    expect(command('run {{n}}', valuesOf({ n: -1 }))).toBe('arg_option_injection')
    expect(command('run -- {{s}}', valuesOf({ s: '-rf' }))).toEqual(['run', '--', '-rf'])
    expect(command('run --f={{s}} a{{s}}', valuesOf({ s: '-rf' }))).toEqual(['run', '--f=-rf', 'a-rf'])
    expect(command('run {{s}}{{n}}', valuesOf({ s: '', n: -5 }))).toBe('arg_option_injection')
  })
})

describe('a command with a shell', () => {
  const output = (list: unknown): string => {
    const [program = '', ...args] = list as readonly string[]
    return execFileSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' } })
  }

  it('has its values as positional parameters, and a script that never changes', () => {
    const text = 'printf "%s\\n" -- {{s}} | tr a b'
    const list = (s: string): unknown => command(text, valuesOf({ s }), true)
    expect(list('x')).toEqual(['/bin/sh', '-c', 'printf "%s\\n" -- "${1}" | tr a b', 'reflex', 'x'])
    const hostile = '"; touch f; echo $(id) `id` \' \\'
    expect((list(hostile) as string[]).slice(0, 4)).toEqual((list('x') as string[]).slice(0, 4))
    expect((list(hostile) as string[]).slice(4)).toEqual([hostile])
  })

  it.each(['$(echo no)', '`echo no`', '"; echo no; "', "'; echo no; '", '$HOME', '* ?', 'a  b', '\\', '!x'])(
    'gives a value to its commands unchanged: %s',
    (s) => {
      const text = 'printf \'[%s]\' 1{{s}} "2{{s}}" \'3{{s}}\' "$(printf %s "4{{s}}")" && echo done # {{s}}'
      expect(output(command(text, valuesOf({ s }), true))).toBe(`[1${s}][2${s}][3${s}][4${s}]done\n`)
    },
  )

  it.each<[string, string]>([
    ['{{s}} | b', 'E_DYNAMIC_COMMAND'],
    ['a; {{s}}', 'E_DYNAMIC_COMMAND'],
    ['if {{s}}; then a; fi', 'E_DYNAMIC_COMMAND'],
    ['A=1 {{s}}', 'E_DYNAMIC_COMMAND'],
    ['echo $({{s}})', 'E_DYNAMIC_COMMAND'],
    ['a | b --{{s}}', 'E_DYNAMIC_OPTION'],
    ['a; eval {{s}}', 'E_NESTED_SHELL'],
    ['a | sh -c "b {{s}}"', 'E_NESTED_SHELL'],
    ['echo `a {{s}}`', 'E_NESTED_SHELL'],
    ['echo $((1 + {{n}}))', 'E_NESTED_SHELL'],
    ['echo ${A:-{{s}}}', 'E_NESTED_SHELL'],
    ['cat <<E\n{{s}}\nE', 'E_SHELL_OPERATORS'],
    ['echo "{{s}}', 'E_COMMAND'],
  ])('is refused when it is read: %s', (text, rule) => {
    expect(command(text, valuesOf(), true)).toContain(rule)
  })

  it('refuses an option and another host, as without a shell', () => {
    expect(command('a | rm {{s}}', valuesOf({ s: '-rf' }), true)).toBe('arg_option_injection')
    expect(command('a | rm -- {{s}}', valuesOf({ s: '-rf' }), true)).toContain('-rf')
    expect(command('curl https://{{label}}.host/x | a', valuesOf({ label: 'evil/#' }), true)).toBe('url_authority')
    expect(command('curl https://h/{{s}} | a', valuesOf({ s: '../x' }), true)).toContain('..%2Fx')
  })
})
