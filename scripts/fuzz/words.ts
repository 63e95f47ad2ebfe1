/** What readers of text stumble over. */
export const ODD: readonly [string, ...string[]] = [
  '\0',
  '\ufeff',
  '\u2028',
  '\u00a0',
  '\ud800',
  '\udc00',
  '\u202e',
  '👩‍👩‍👧',
  'e\u0301'.repeat(40),
  '\\',
  '"',
  '\\"',
  '\\u',
  '/*',
  '*/',
  '//',
  '#',
  '\n# x\n',
  '\r',
  '\t',
  '\u001b[31m',
  '<b>',
  '--',
]

/** Words, numbers and marks that mean something in one language or another. */
export const WORDS = words(`
  __proto__ constructor toString hasOwnProperty null true false NaN Infinity -0 0 -1 1e999 9007199254740993 1e-400 0x10 00 .5 5.
  {} [] "" [ ] { } ( ) , ; : = ->
  digraph graph node edge subgraph strict label shape type condition weight prompt timeout max_retries goal_gate retry_target class
  fan_out model_stylesheet Mdiamond Msquare diamond component start exit 900s 15m -3d 99999999999999999999d
  outcome=success context.a!="" && || ! <= $goal \${x} * .a #a
  id entry nodes edges from to event guard spec invokes workflowId board outputs inputs when
  size( in has( .all(x,x>0) matches("(a+)+$") ?1:2 + % [0] r' b"" duration("1s")
  nil and or not end then do local function return goto repeat until .. ~= // # [[ ]] --[[ 0x1p4 '\\u{7fffffff}' #_G _ENV _G
  BT.succeed() BT.tree( BT.sequence( BT.subtree_ref("program") bb.a bb[ bb.set( ctx.event pcall( error( string.rep("x",1e9)
  require("os") os.exit() load("x")() setmetatable({},{}) coroutine.wrap(print) string.dump(print) ("x"):rep(99999999) ipairs({})
  root children params blackboard trees on_failure tree_name export bind policy timeout_ms code file fn _event __index ../x a/b
  <SubTree/> <SubTree/ID="program"/> </root> <!--x--> <![CDATA[x]]> <!DOCTYPE/> &lol; &#0; &#x41; &#1114112; _skipIf="a" {=} {@a} {_a} json:{
  AlwaysSuccess Script Parallel num_cycles="-1" success_count="99" BTCPP_format="3" := += && !a ?:
`)

export const NUMBERS = words('0 1 -1 2.5 1000000000 9007199254740993 1e300 0.1')

function words(text: string): readonly [string, ...string[]] {
  const [first = '', ...others] = text.trim().split(/\s+/)
  return [first, ...others]
}
