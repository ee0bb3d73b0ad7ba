param([int]$At = 0)
Set-StrictMode -Version Latest

function Stop-Here {
  param([string[]]$Lines)
  foreach ($Line in $Lines) { [Console]::Error.WriteLine($Line) }
  exit 1
}

# Show a step and go on only after "y". Without an answer the script ends.
function Confirm-Step {
  param([string[]]$Lines)
  foreach ($Line in $Lines) { [Console]::Error.WriteLine($Line) }
  if ((Read-Host 'Run it? [y/N]') -notmatch '^(y|yes)$') { Stop-Here @('Stopped: nothing of this step was run.') }
}
