"""Read the system that a report was made on: its name, its kernel, and signs of WSL.

Linux version 5.15.0-84-generic (buildd@…) …      uname, /proc/version, dmesg
Linux gpu01 5.4.0-205-generic #225-Ubuntu SMP … x86_64 GNU/Linux
NAME="Ubuntu" / PRETTY_NAME="Ubuntu 22.04.3 LTS"    /etc/os-release; DISTRIB_ID=…, DISTRIB_RELEASE=… of lsb-release
Ubuntu 20.04.6 LTS, GPU 4090    - OS: Arch Linux (Manjaro)    OS: Fedora Linux 41 x86_64    Win10, Windows 11 Pro
윈도우11
/mnt/c/…, /usr/lib/wsl/lib, microsoft-standard-WSL2, "WSL2"
C:\\Users\\me\\…, torch\\cuda\\__init__.py, PS C:\\>, [WinError 126]
/Users/me/…, /opt/homebrew/…, …-macosx_11_0_arm64.whl, libfoo.dylib, "on my M2 Mac"
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.platform_string import MACHINES, host_of_platform, is_wsl
from accel.model.dataclass import replace
from accel.model.merge import filled
from accel.model.snapshot import Host
from accel.names.scripts import with_latin_systems
from accel.specs.indexing import own_denials, own_vocabulary
from accel.text.form_fields import form_fields
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_KERNEL: Final = pattern(
    r"\bLinux version (?P<kernel>[2-9]\.\d{1,4}\.\d\S*)", signs="linux version"
)  # not of a driver for Linux: 25.10.1
_TYPED_KERNEL: Final = pattern(
    r"^[ \t]*(?:[-*•][ \t]*)?(?:Linux )?[kK]ernel(?: [vV]ersion)?[ ]*[:=][ ]*(?:Linux )?(?P<kernel>\d{1,4}\.\d"
    r"[\w.+-]*)",
    re.MULTILINE,
    signs="kernel",
)
_KERNEL_IN_PROSE: Final = pattern(
    r"\b[kK]ernel(?: [vV]ersion)?[:` *]{1,6}v?"
    r"(?P<kernel>\d{1,2}\.\d{1,2}\.\d{1,3}-\d[\w.]{0,20}(?:-[a-z][a-z\d]{1,12}|\.(?:el|fc|amzn)\d[\w.]{0,30}))\b",
    signs="kernel",
)
_BEFORE_KERNEL: Final = pattern(  # "with the 6.8.0-51-generic kernel"
    r"(?<![\w.-])(?P<kernel>[3-7]\.\d{1,2}\.\d{1,3}-\d[\w.]{0,20}(?:-[a-z][a-z\d]{1,12}|\.(?:el|fc|amzn)\d[\w.]{0,30}))"
    r" (?:[kK]ernel|内核)\b",
    signs=" kernel| 内核",
)
_LINUX_IN_PROSE: Final = pattern(
    r"(?:^|[(,;:]|\b(?:is|on|run|running|runs|using|use|under|with|auf|mit|sous|sur|avec|en|con|на)) ?"
    r"(?:(?:mainline|stock|vanilla|HWE|LTS) )?(?:Linux|[kK]ernel)(?: kernel| version)? "
    r"(?P<kernel>[3-7]\.\d{1,2}\.\d{1,3}(?:-\d{1,4}(?:-[a-z][a-z\d]{1,12})?)?)(?![\w+-]|\.\d|\s?(?:or|and|及|以上|\+))",
    re.MULTILINE,
    signs="linux|kernel",
)
_TYPED_UNAME: Final = pattern(  # the command and its output
    r"^[^\n]{0,100}\buname -(?:r|sr|rv|srv)\s{0,20}\n\s{0,20}(?:Linux )?(?P<kernel>\d{1,4}\.\d{1,4}[.\d]"
    r"[\w.+~-]{0,80})",
    re.MULTILINE,
    signs="uname -",
)
_BUILT_FOR: Final = pattern(
    r"\b(?:KERNEL_UNAME=|module build on kernel:? |for Linux kernel version "
    r"|make\.log for [\w.+-]{1,60} for kernel )(?P<kernel>\d{1,4}\.\d{1,4}[\w.+~-]{0,80})",
    signs="kernel_uname=|module build on kernel|for linux kernel version|make.log for",
)
_BUILT_AGAINST: Final = pattern(
    r"/lib/modules/(?P<kernel>\d{1,4}\.\d{1,4}[\w.+~-]{0,80})/(?:build|source)\b", signs="/lib/modules/"
)
_PLATFORM: Final = pattern(
    r"^.{0,60}?(?P<platform>(?:Linux-\d|Windows-\w|macOS-\d|Darwin-\d)\S*)",
    re.MULTILINE,
    signs="linux-|windows-|macos-|darwin-",
)
_UNAME: Final = pattern(r"^\W{0,3}Linux \S+ \d{1,4}\.\d\S* #[^\n]*$", re.MULTILINE, signs="linux ")
_PRETTY: Final = pattern(r"^[ \t]*PRETTY_NAME=\"?(?P<name>[^\"\n]+)", re.MULTILINE, signs="pretty_name=")
_OS_NAME: Final = pattern(r"^[ \t]*NAME=\"?(?P<name>[A-Za-z][^\"\n]*)", re.MULTILINE, signs="name=")
_OS_VERSION: Final = pattern(r"^[ \t]*VERSION(?:_ID)?=\"?(?P<version>\d[^\"\n]*)", re.MULTILINE, signs="version")
_LSB: Final = pattern(
    r"^[ \t]*DISTRIB_ID=\"?(?P<name>\w+)\"?[ \t]*\n[ \t]*DISTRIB_RELEASE=\"?(?P<version>[\w.]+)",
    re.MULTILINE,
    signs="distrib_id=",
)
_LSB_TOOL: Final = pattern(r"^[ \t]*Description:[ \t]+(?P<name>[A-Z][\w ./()-]+)$", re.MULTILINE, signs="description:")
_NAMES: Final = (
    r"Ubuntu(?: Server| Linux)?|Debian(?: GNU/Linux)?|CentOS(?: Linux| Stream)?|Red Hat Enterprise Linux"
    r"(?: Server)?|RHEL|Rocky Linux|"
    r"AlmaLinux|Fedora(?: Linux)?|Arch(?: Linux)|Manjaro(?: Linux)?|openSUSE(?: \w{1,20})?|"
    r"SUSE Linux Enterprise Server|SLES|Amazon Linux|"
    r"openEuler|EulerOS|Kylin(?: Linux)?|(?:Linux )?Mint|Pop!_OS|NixOS|Gentoo|Oracle Linux(?: Server)?|CachyOS|"
    r"Kubuntu|Anolis OS|UOS|"
    r"Windows Server|Windows|Win|macOS|Mac OS X"
)
_DISTRIBUTION: Final = pattern(
    rf"(?:^|(?<=[\s:(,*|：，、。「（\u3040-\u9fff-]))(?<!built for )(?P<name>{_NAMES})(?P<version>[ -]?(?:release )?"
    rf"(?:\d{{1,9}}(?:\.\d{{1,9}}){{0,6}})(?: LTS| LTSC| Pro|"
    rf" Home| Enterprise)?)(?![\w.]{{0,60}}[-_]\w)(?P<rest>[^\n]{{0,60}})",
    re.IGNORECASE,
    signs="ubuntu|debian|centos|red hat|rhel|rocky linux|almalinux|fedora|arch|manjaro|opensuse|suse linux|sles|"
    "amazon linux|openeuler|euleros|kylin|mint|pop!_os|nixos|gentoo|oracle linux|cachyos|anolis os|uos|win|mac",
)
_OF_FEDORA: Final = pattern(r"\.fc(\d{2})\b", exact_case=True)
_OTHERS: Final = ("RHEL", "Red Hat", "CentOS", "Rocky", "AlmaLinux", "Ubuntu", "Debian")
_NO_WINDOWS: Final = pattern(r"^Win(?:dows)?[ -]?(?!(?:7|8|8\.1|10|11|20\d\d)(?:\D|$))\d", re.IGNORECASE)
_ROLLING: Final = pattern(
    r"(?:^|[\s(,;])(?P<name>Talos(?! II)(?: Linux)?|Clear Linux(?: OS)?|CachyOS|Arch Linux|Manjaro|"
    r"EndeavourOS|Gentoo|NixOS|Void Linux|openSUSE Tumbleweed|Solus(?: (?:Linux|Plasma|Budgie))?|Slackware|Mageia|"
    r"Artix(?: Linux)?|elementary OS|Zorin OS|KDE neon|MX Linux|Deepin|"
    r"Linux Mint|Pop!?_OS|Nobara|Bazzite|Bluefin|Silverblue|Kinoite|"
    r"Ultramarine(?: Linux)?|Garuda Linux|SteamOS|Kubuntu|Xubuntu|Fedora(?: Workstation| Linux)?)"
    r"(?=[\s.,;:)]|$)",
    signs="talos|clear linux|cachyos|arch linux|manjaro|endeavouros|gentoo|nixos|void linux|opensuse tumbleweed|"
    "solus|slackware|mageia|artix|elementary os|zorin os|kde neon|mx linux|deepin|linux mint|pop!|pop_os|"
    "popos|nobara|bazzite|bluefin|silverblue|kinoite|ultramarine|garuda linux|steamos|kubuntu|xubuntu|fedora",
)
# Tools and kernel names that only one distribution, or its derivatives, has.
_BY_TOOLS: Final = tuple(
    (name, pattern(form, exact_case=True, signs=signs))
    for name, form, signs in (
        (
            "NixOS",
            r"\bnixos(?:-(?:rebuild|version|install)\b| kernel: )|\bnixpkgs\b|\blinuxPackages|\bconfiguration\.nix\b|"
            r"/nix/store/[a-z0-9]{4,40}-(?:linux|nvidia)|"
            r"\b(?:hardware\.(?:nvidia|graphics|opengl)|virtualisation\.docker|services\.xserver)\b[^\n=]{0,60}= ",
            "nix|linuxpackages|hardware.|virtualisation.docker|services.xserver",
        ),
        ("Clear Linux", r"\bswupd\b|\d-\d{3,4}\.(?:native|lts20\d\d)\b", "swupd|.native|.lts20"),
        ("Talos Linux", r"\btalosctl\b|\d-talos\b", "talos"),
        ("Void Linux", r"\bVoid \d\.\d|\bxbps-install\b", "void |xbps-install"),
        ("Solus", r"\beopkg\b|\b(?i:doflicky)\b|\d-\d{2,4}\.(?:current|lts)\b", "eopkg|doflicky|.current|.lts"),
        ("CachyOS", r"\d-cachyos\b", "-cachyos"),
        ("Manjaro", r"\d-MANJARO\b|\bmhwd(?:-kernel)? -", "-manjaro|mhwd"),
        (
            "Arch Linux",
            r"\b(?:pacman|yay|paru) -[SRQU]|\bmkinitcpio\b|\d-(?:arch|zen)\d{1,2}-\d|\bAUR\b",
            "pacman -|yay -|paru -|mkinitcpio|-arch|-zen|aur",
        ),
        ("Fedora", r"\d\.fc\d{2}\b|\bakmod-nvidia\b|\brpm-ostree\b", ".fc|akmod-nvidia|rpm-ostree"),
        (
            "openSUSE",
            r"\bzypper (?:in|install|up|dup|rm|ref)\b|\d\.\d{1,2}\.\d{1,3}-[\w.]{1,20}-default\b",
            "zypper |-default",
        ),
        (
            "Amazon Linux",
            r"\bec2-user@|/usr/local/lib64/python3\.7/|\d\.amzn(?:2|\d{4})\b|\bamazon-linux-extras\b",
            "ec2-user@|/usr/local/lib64/|.amzn|amazon-linux-extras",
        ),
        ("Gentoo", r"\bemerge (?:-|@)|\d-gentoo", "emerge |-gentoo"),
        ("Pop!_OS", r"\bsystem76-(?:driver|power|nvidia)|\d-76\d{6}-generic\b", "system76-|-generic"),
        ("Proxmox VE", r"\d-pve\b|\bpveversion\b", "-pve|pveversion"),
        (
            "Debian",
            r"\d\.\d{1,2}\.\d{1,3}(?:-\d{1,3}|\+(?:deb\d\w{0,4}|bpo))-(?:amd64|arm64)\b",
            "-amd64|-arm64",
        ),
        (
            "Ubuntu",
            r"\d\.\d{1,2}\.\d{1,3}-\d{1,4}-(?:generic|lowlatency|oem|azure|aws|gcp|oracle|nvidia)\b|"
            r"\bubuntu-drivers\b|\bubuntu-os-cloud\b|\badd-apt-repository\b|\bppa:\w|\bdo-release-upgrade\b",
            "-generic|-lowlatency|-oem|-azure|-aws|-gcp|-oracle|-nvidia|ubuntu-|add-apt-repository|ppa:"
            "|do-release-upgrade",
        ),
        (
            "RHEL",
            r"\d\.el(?P<release>\d{1,2})(?:_\d{1,2})?\.x86_64\b|\bsubscription-manager\b",
            ".x86_64|subscription-manager",
        ),
        (
            "Ubuntu",
            r"\b(?P<release>\d\d\.\d\d)(?:\.\d)? LTS \((?:Xenial|Bionic|Focal|Jammy|Noble|Resolute) ",
            " lts (",
        ),
        (
            "Ubuntu",
            r"\(Ubuntu \d[\w.]{1,12}-\d{1,2}ubuntu[\d.]{1,8}~(?P<release>\d\d\.\d\d)",  # of gcc, for it alone
            "(ubuntu ",
        ),
        *(
            (name, rf"\b[\w.-]{{1,40}}@{host}[: \]~]", f"@{host}")  # a prompt: the installer's name for a machine
            for name, host in (
                *(("Pop!_OS", "pop-os"), ("Arch Linux", "archlinux"), ("Fedora", "fedora"), ("NixOS", "nixos")),
                *(("Proxmox VE", "pve"), ("Manjaro", "manjaro"), ("Debian", "debian"), ("Ubuntu", "ubuntu")),
            )
        ),
    )
)
_BARE: Final = pattern(  # a name without its release, if a sentence says that this is the system
    r"(?:^|\b(?:on|under|with|in|use|using|run|running|runs|my|our|fresh|host|OS|distro|is|an?|latest|Linux,)[: ]{1,2})"
    r"(?P<name>Ubuntu|Debian|"
    r"CentOS|RHEL|Rocky Linux|AlmaLinux|openSUSE|Arch(?= )(?! *[:=]|  | (?:sm_|gfx|compute_|x86|aarch|arm|noarch))|"
    r"Archlinux|Pop ?OS|Kali(?: Linux)?|Zorin OS|Mint(?= ))"
    r"(?![\w/:-])",
    re.IGNORECASE | re.MULTILINE,
)
_SPELT: Final = {
    "Arch": "Arch Linux",
    "Archlinux": "Arch Linux",
    "Mint": "Linux Mint",
    "Rhel": "RHEL",
    "Centos": "CentOS",
}
_LABELLED: Final = pattern(
    rf"^[ \t]*(?:[-*•][ \t]*)?(?:OS|Operating [sS]ystems?|OS [pP]latform(?: and [dD]istribution)?|Distribution|Distro|"
    rf"System|Platform|操作系统|系统|作業系統|Betriebssystem|Système d'exploitation|Sistema (?:operativo|operacional)|"
    rf"Операционная система|ОС|운영체제|운영 체제|オペレーティングシステム|"
    rf"(?:What|Which|Where|On what)\b[^?\n]{{0,80}}\?)[^:：?\n]{{0,40}}(?:[:：=][ ]*|(?<=\?)[ ]{{1,4}})"
    rf"(?P<name>(?:{_NAMES})(?![A-Za-z0-9])[^\n(,;]*)",
    re.MULTILINE | re.IGNORECASE,
)
_ANY_LINUX: Final = pattern(
    r"^(?:OS|Operating systems?|Platform|System|操作系统|系统)[ ]?: (?:GNU/)?Linux(?: \(?[xa]\w{2,8}\)?)?$",
    re.MULTILINE,
    signs=": linux|: gnu/linux",
)
_WSL: Final = pattern(
    r"microsoft-standard(?:-WSL2)?|(?<![\w-])WSL ?2?\b|/usr/lib/wsl/|(?<![\w.])/mnt/[c-f]/|\bdxgkrnl\b|/dev/dxg\b",
    signs="microsoft-standard|wsl|/mnt/|dxgkrnl|/dev/dxg",
)
_WINDOWS: Final = pattern(
    r"(?:^|[\s\"'(`=])[A-Za-z]:\\{1,2}(?:[\w.$-]|>)|\bfatal error C\d{4}:|\bclang-cl\b|\b(?:cl|link)\.exe\b|"
    r"^[A-Z]:\\[^\n>]{0,120}>|"
    r"\w\\\w{2,40}\\[\w.-]{1,80}\.(?:py|pyd|dll|cpp|cu|exe|bat)\b|(?<![\w./-])[\w.-]{1,60}\.(?:bat|ps1)\b|(?:^|\s)\.\\[\w.]|"
    r"(?<![\w/])(?!(?:wsl|winget|nvidia-smi|curl|cmd|powershell|explorer)\.exe)[\w.-]{1,60}\.exe\b|"
    r"%(?:(?:LOCAL)?APPDATA|USERPROFILE|HOMEPATH|TEMP|ProgramFiles|ProgramData|SystemRoot)%|\$env:\w|"
    r"\bMINGW(?:32|64)_NT-|\bMSYS_NT-|\bplatform\W{1,5}win32\b|\bWindows PowerShell\b|"
    r"\bnvlddmkm\b|\bWindowsPath\(|\[WinError \d+|\[MSC v\.\d+|\bPS [A-Z]:\\|^Microsoft Windows \[Version|"
    r"\bMicrosoft Visual C\+\+ \d|\bvcvarsall\b|\bWindows Long Path\b|\bHRESULT: 0x8007|\b\w{2,30}_windows\.go:\d|"
    r"\bcu[a-z_]{3,30}64_\d{1,3}\.dll\b|"
    r"\bis not recognized as (?:an internal or external command|(?:the |a )?name of a cmdlet)|不是内部或外部命令",
    re.MULTILINE,
    signs=":\\|fatal error c|clang-cl|cl.exe|link.exe|.exe|.py|.pyd|.dll|.cpp|.cu|.bat|.ps1|.\\|appdata%|userprofile%|"
    "homepath%|temp%|programfiles%|programdata%|systemroot%|$env:|mingw|msys_nt-|win32|windows|nvlddmkm|"
    "[winerror |[msc v.|ps |visual c++|vcvarsall|hresult: 0x8007|is not recognized as |不是内部或外部命令",
)
_OF_HYPERVISOR: Final = pattern(r"\bvfio-pci \d{4}:|\b(?:kvm|qemu-system-\w{3,12}): -device\b")  # Windows is its guest
_LINUX: Final = pattern(
    r"NVIDIA UNIX|\bNVRM: |\bmodprobe\b|\bsudo |\bdkms\b|"
    r"(?:^|[\s\"'])/(?:usr|home|opt|root|dev|proc|etc|var)/\w|\.so(?:\.\d+)+\b|cannot open shared object file",
    signs="nvidia unix|nvrm: |modprobe|sudo |dkms|/usr/|/home/|/opt/|/root/|/dev/|/proc/|/etc/|/var/|.so|"
    "cannot open shared object file",
)
_SURELY_LINUX: Final = pattern(
    r"NVIDIA UNIX|\bNVRM: |\bmodprobe\b|\bdkms\b|(?:^|[\s\"'])/(?:home|proc)/\w|"
    r"\.so(?:\.\d+)+\b|-linux-gnu\b|\bdist-packages\b",
    signs="nvidia unix|nvrm: |modprobe|dkms|/home/|/proc/|.so|-linux-gnu|dist-packages",
)
_MACOS: Final = pattern(
    r"(?:^|[\s\"'(:`])/(?:Users/\w|Applications/\w|Library/(?:Frameworks|Developer)/|System/Library/|opt/homebrew/|private/var/folders/)|"
    r"\bmacosx?_\d|\.dylib\b",
    re.MULTILINE,
    signs="/users/|/applications/|/library/|/system/library/|/opt/homebrew/|/private/var/|macos|.dylib",
)
_MAC_IN_PROSE: Final = pattern(
    r"(?<![A-Za-z0-9_])(?:Mac(?:[Bb]ook)?(?: Pro| Air| mini| Studio)?,? (?:with )?(?:an? )?(?:Apple )?M[1-6]|"
    r"M[1-6](?: Pro| Max| Ultra)? Mac(?:[Bb]ook)?|Apple M[1-6]|"
    r"on (?:my |an? |the )?(?:Apple )?(?:Mac[Bb]ook|Mac|macOS|M[1-6])|"
    r"macOS (?:[A-Z][a-z]{2,8} )?1[1-5]\.\d{1,2}(?:\.\d{1,2})?(?!\+| or (?:newer|later)))"
    r"(?![A-Za-z0-9_])",
    signs="mac|apple m|on m|on a|on t",  # "在Mac M1上", too
)
_POSIX_PACKAGES: Final = pattern(
    r"(?:^|[\s\"'(])/(?!Users/)[\w./-]{1,200}/lib/python3\.\d{1,2}/", re.MULTILINE, signs="/lib/python3."
)
_OF_SOMETHING_ELSE: Final = pattern(r"gcc|[\d~+.-]ubuntu\d|\+deb|docker|nvidia/cuda|SMP|https?:")
_OF_ADDRESS: Final = pattern(r"https?:")  # no image is of Windows
_MACHINE: Final = pattern(
    rf"^[ \t]{{0,40}}(?:Architecture|Platform)[: ]{{1,40}}(?:linux-)?(?P<machine>{MACHINES})\b|\blinux[-/ _]"
    rf"(?P<machine2>{MACHINES})\b(?!\.whl is not)",
    re.MULTILINE,
    signs="architecture|platform|linux",
)
_EXAMPLE: Final = pattern(
    r"\((?:e\. ?g\.|for example|such as)[^()\n]{0,60}\)", signs="(e.|(for example|(such as"
)  # of a form: "(e.g., Linux Ubuntu 16.04)"

_IMAGE: Final = pattern(  # whose name tells the container's system, not the host's
    r"(?<![\w/.-])[\w.-]{1,80}(?:/[\w.-]{1,80}){1,4}:(?:[\w.]{1,40}-){1,8}(?:ubuntu|debian|centos|rockylinux|rhel|ubi)-?\d[\w.-]{0,40}",
    signs="ubuntu|debian|centos|rockylinux|rhel|ubi",
)


def _read(text: str) -> Iterator[Reading]:
    host = Host()
    text = with_latin_systems(_IMAGE.sub("", _EXAMPLE.sub("", text)), own_vocabulary().spellings)
    if fields := form_fields(text):
        text = f"{text}\n{fields}"
    for found in _PLATFORM.finditer(text):
        host = filled(host, host_of_platform(found["platform"]) or Host())
    for found in _UNAME.finditer(text):
        host = filled(host, host_of_platform(found[0]) or Host())
    signs = (_KERNEL, _TYPED_KERNEL, _TYPED_UNAME, _BUILT_FOR, _BUILT_AGAINST)
    kernel = next((hit for sign in signs if (hit := sign.search(text)) is not None), None)
    if kernel and host.system in (None, "linux"):
        host = filled(host, Host(system="linux", kernel=kernel["kernel"], wsl=is_wsl(kernel["kernel"]) or None))
    told = (hit for form in (_KERNEL_IN_PROSE, _BEFORE_KERNEL, _LINUX_IN_PROSE) for hit in form.finditer(text))
    named = {hit["kernel"] for hit in told} if host.kernel is None else set()
    if len(named) == 1 and host.system in (None, "linux"):
        host = filled(host, Host(system="linux", kernel=named.pop()))
    name = _distribution(text)
    if name and name.startswith(_OTHERS) and (release := _OF_FEDORA.search(host.kernel or "")):
        name = f"Fedora {release[1]}"  # the other one is what a package was made for
    wsl = any(not own_denials().denies(text, found.start(), found.end()) for found in _WSL.finditer(text))
    if name:
        system = (
            "windows" if name.lower().startswith("windows") else "macos" if name.lower().startswith("mac") else "linux"
        )
        if not (system == "windows" and (wsl or _OF_HYPERVISOR.search(text))):
            host = filled(host, Host(system=system, distribution=name))
    if wsl and host.system in (None, "linux"):
        host = replace(host, system="linux", wsl=True)
    if host.system is None:
        host = replace(host, system="linux" if _ANY_LINUX.search(text) else _by_signs(text))
    if machine := _MACHINE.search(text):
        host = filled(host, Host(machine=machine["machine"] or machine["machine2"]))
    if host != Host():
        yield Reading(source=READER.name, host=host)


def _by_signs(text: str) -> str | None:
    """Return the system that paths and tools indicate; None if they indicate none or two."""
    windows, linux = bool(_WINDOWS.search(text)), bool(_LINUX.search(text) or _POSIX_PACKAGES.search(text))
    if "WindowsPath(" in text and "PosixPath(" not in text:  # Python's own name for a path, whatever its contents
        return "windows"
    if not windows and _MACOS.search(text) and not _SURELY_LINUX.search(text):
        return "macos"
    if windows != linux:
        return "windows" if windows else "linux"
    return "macos" if not windows and not linux and _MAC_IN_PROSE.search(text) else None


def _distribution(text: str) -> str | None:
    """Return the distribution's name and release as one text."""
    if found := _PRETTY.search(text) or _LSB_TOOL.search(text):
        return found["name"].strip()
    if (found := _OS_NAME.search(text)) and (version := _OS_VERSION.search(text)):
        return f"{found['name'].strip()} {version['version'].strip()}"
    if found := _LSB.search(text):
        return f"{found['name']} {found['version']}"
    if found := _LABELLED.search(text):
        return _tidy(re.sub(rf"[ ]+(?:{MACHINES}).*$", "", found["name"]))
    for found in _DISTRIBUTION.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.end()]
        of_else = _OF_ADDRESS if found["name"].lower().startswith("win") else _OF_SOMETHING_ELSE
        if not of_else.search(line) and not _NO_WINDOWS.search(found["name"] + found["version"]):
            return _tidy(found["name"] + found["version"])
    if rolling := _ROLLING.search(text):
        return rolling["name"]
    for name, signs in _BY_TOOLS:
        if found := signs.search(text):
            release = found.groupdict().get("release")
            return f"{name} {release}" if release else name
    bare = {_tidy(found["name"].lower()) for found in _BARE.finditer(text)}
    return _SPELT.get(name := bare.pop(), name) if len(bare) == 1 else None


def _tidy(name: str) -> str:
    name = re.sub(r"^Win(?:dows)?[ -]?(?=\d)", "Windows ", name.strip(" *`.-"), flags=re.IGNORECASE)
    return re.sub(r"^([A-Za-z]+)-(?=\d)", r"\1 ", name.capitalize() if name.islower() else name)


READER = Reader(name="host signs", signs=(), read=_read)
